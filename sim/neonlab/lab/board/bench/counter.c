/* Counts cycles: by perf_event, else by PMCCNTR where user code may read it, else by a clock and its frequency. */
#define _GNU_SOURCE
#include "bench.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static enum { PERF_EVENT, PMCCNTR, CLOCK } kind = CLOCK;
static int perf = -1;
static double hz;
static const char *frequency_source = "";
static sigjmp_buf back;

static uint64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t pmccntr(void) {
#if defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("isb\n\tmrs %0, pmccntr_el0" : "=r"(count)::"memory");
    return count;
#else
    uint32_t count;
    __asm__ volatile("isb\n\tmrc p15, 0, %0, c9, c13, 0" : "=r"(count)::"memory");
    return count;
#endif
}

static uint64_t perf_count(void) {
    uint64_t count = 0;
    if (read(perf, &count, sizeof count) != (ssize_t)sizeof count)
        return 0;
    return count;
}

static void work_a_little(void) {
    for (volatile int i = 0; i < 200000; i++) {
    }
}

static int open_perf(void) {
    struct perf_event_attr attributes;
    uint64_t before;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    perf = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (perf < 0)
        return 0;
    before = perf_count();
    work_a_little();
    return perf_count() > before + 10000;
}

static void refused(int number) {
    (void)number;
    siglongjmp(back, 1);
}

static int open_pmccntr(void) {
    struct sigaction action, old;
    volatile int works = 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = refused;
    sigaction(SIGILL, &action, &old);
    if (!sigsetjmp(back, 1)) {
        uint64_t first = pmccntr(), second;
        work_a_little();
        second = pmccntr();
        works = second > first + 10000; /* a counter that is not enabled stands still */
    }
    sigaction(SIGILL, &old, NULL);
    return works;
}

static void find_frequency(int cpu) {
    static const char *const FILES[] = {"scaling_cur_freq", "cpuinfo_cur_freq", "cpuinfo_max_freq"};
    char path[128], text[64];
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", cpu, FILES[i]);
        if (file_text(path, text, sizeof text) && atof(text) > 0) {
            hz = atof(text) * 1000;
            frequency_source = FILES[i];
            return;
        }
    }
}

static void warm_clock(void) {
    uint64_t end = clock_ns() + 50000000u; /* a governor raises the frequency meanwhile */
    while (clock_ns() < end)
        work_a_little();
}

void counter_open(int cpu, const char *wanted) {
    int any = !wanted;
    if ((any || !strcmp(wanted, "perf_event")) && open_perf())
        kind = PERF_EVENT;
    else if ((any || !strcmp(wanted, "pmccntr")) && open_pmccntr())
        kind = PMCCNTR;
    else {
        kind = CLOCK;
        warm_clock();
        find_frequency(cpu);
    }
}

struct reading counter_read(void) {
    struct reading now;
    now.ns = clock_ns();
    now.cycles = kind == PERF_EVENT ? perf_count() : kind == PMCCNTR ? pmccntr() : 0;
    return now;
}

double counter_cycles(struct reading from, struct reading to) {
    uint64_t counted = to.cycles - from.cycles;
    if (kind == CLOCK)
        return (double)(to.ns - from.ns) * hz / 1e9;
#if !defined(__aarch64__)
    if (kind == PMCCNTR)
        counted &= 0xFFFFFFFFu;
#endif
    return (double)counted;
}

const char *counter_kind(void) {
    return kind == PERF_EVENT ? "perf_event" : kind == PMCCNTR ? "pmccntr" : "clock";
}

const char *counter_frequency_source(void) {
    return frequency_source;
}

double counter_hz(void) {
    return hz;
}
