/* Catches what a kernel may raise, and says where and at which address. */
#define _GNU_SOURCE
#include "bench.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t inside, signal_number;
static volatile uintptr_t fault_address;
static unsigned char signal_stack[65536];

static void caught(int number, siginfo_t *info, void *context) {
    (void)context;
    if (!inside) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    signal_number = number;
    fault_address = (uintptr_t)info->si_addr;
    siglongjmp(back, 1);
}

void faults_catch(void) {
    static const int NUMBERS[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGALRM};
    stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = caught;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        sigaction(NUMBERS[i], &action, NULL);
}

static void describe_access(const struct trial *trial, char message[MESSAGE]) {
    for (int i = 0; i < trial->buffer_count; i++) {
        const struct buffer *buffer = &trial->buffers[i];
        uintptr_t start = (uintptr_t)buffer->bytes, map = (uintptr_t)buffer->map;
        if (fault_address < map || fault_address >= map + buffer->map_bytes)
            continue;
        if (fault_address < start)
            snprintf(message, MESSAGE, "accesses memory %lu bytes before `%s`",
                     (unsigned long)(start - fault_address), buffer->name);
        else if (fault_address >= start + buffer->size)
            snprintf(message, MESSAGE, "accesses byte %lu of `%s`, which has %lu",
                     (unsigned long)(fault_address - start), buffer->name, (unsigned long)buffer->size);
        else
            snprintf(message, MESSAGE, "writes to `%s`, which it may only read", buffer->name);
        return;
    }
    snprintf(message, MESSAGE, "accesses address 0x%lx, where nothing is", (unsigned long)fault_address);
}

int guarded(void (*run)(struct call *), struct trial *trial, char message[MESSAGE], unsigned seconds) {
    if (!sigsetjmp(back, 1)) {
        inside = 1;
        alarm(seconds);
        run(&trial->call);
        alarm(0);
        inside = 0;
        return 1;
    }
    alarm(0);
    inside = 0;
    if (signal_number == SIGALRM) {
        trial->hung = 1;
        snprintf(message, MESSAGE, "does not return within %u seconds", seconds);
    }
    else if (signal_number == SIGILL)
        snprintf(message, MESSAGE, "executes an instruction that this CPU does not have, at 0x%lx",
                 (unsigned long)fault_address);
    else if (signal_number == SIGSEGV || signal_number == SIGBUS)
        describe_access(trial, message);
    else
        snprintf(message, MESSAGE, "is stopped by signal %d", (int)signal_number);
    return 0;
}
