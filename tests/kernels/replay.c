/* Calls a kernel with what a file says, and compares what it writes with what the file says.
 *
 * Each buffer is laid against an inaccessible page, first with its end, then with its start, as far as its alignment
 * lets it; those that are not written are read-only; the bytes beside a buffer are painted and looked at afterwards.
 * The call runs on a painted stack of its own, with known values in the registers that the kernel must give back.
 *
 * The file is little-endian, every number 8 bytes: the number of calls; for each call the number of arguments; for
 * each argument 0 and a value, or 2 and the number of the argument that it shares a buffer with, or 1, alignment,
 * size, where in it the pointer points to, whether it is written, the bytes before the call, and if it is written
 * those expected after it; or 3, the number of pointers of an array, for each where in a buffer it points to, and that
 * buffer as behind 1. Bytes are filled up to a multiple of 8. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void KERNEL(void);

enum { ARGUMENTS = 16, SAVED = SAVED_REGISTERS, PAINT = 0xA5, STACK = 8192 };
/* Runs `kernel` on the stack that ends at `stack_top`; `saved` goes into the registers a callee must keep and comes
 * back as what it left there, followed by the stack pointer's change. */
extern void call_watched(void (*kernel)(void), const uintptr_t arguments[ARGUMENTS], uint8_t *stack_top, uint64_t saved[SAVED + 1]);

typedef struct {
    uint64_t is_buffer, value, align, size, origin, written;
    const uint8_t *before, *after;
    uint64_t pointers;
    const uint8_t *offsets;
    uintptr_t *table;
    uint8_t *base; /* of the accessible pages */
    size_t pages;
    uint8_t *place;
} argument_t;

static size_t page;
static uint8_t stack[STACK + 16] __attribute__((aligned(16)));

static uint64_t number(const uint8_t **file)
{
    uint64_t value;
    memcpy(&value, *file, 8);
    *file += 8;
    return value;
}

static const uint8_t *bytes(const uint8_t **file, uint64_t size)
{
    const uint8_t *found = *file;
    *file += (size + 7) / 8 * 8;
    return found;
}

static int painted(const uint8_t *from, const uint8_t *to)
{
    while (from < to)
        if (*from++ != PAINT)
            return 0;
    return 1;
}

static void lay_out(argument_t *a, int at_start)
{
    uint64_t step = a->align < 1 ? 1 : a->align;
    a->pages = (a->size + 2 * step + page - 1) / page * page;
    uint8_t *whole = mmap(NULL, a->pages + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    a->base = whole + page;
    if (whole == MAP_FAILED || mprotect(a->base, a->pages, PROT_READ | PROT_WRITE)) {
        perror("mmap");
        exit(3);
    }
    memset(a->base, PAINT, a->pages);
    a->place = at_start ? a->base : a->base + (a->pages - a->size) / step * step;
    memcpy(a->place, a->before, a->size);
    if (!a->written)
        mprotect(a->base, a->pages, PROT_READ);
}

/* The array of pointers into the buffer of `a`. */
static uintptr_t *point_into(argument_t *a)
{
    const uint8_t *at = a->offsets;
    a->table = malloc(a->pointers * sizeof *a->table);
    if (!a->table)
        exit(3);
    for (uint64_t i = 0; i < a->pointers; i++)
        a->table[i] = (uintptr_t)(a->place + number(&at));
    return a->table;
}

static int play(const uint8_t **file, unsigned call, size_t stack_bytes)
{
    static argument_t all[ARGUMENTS];
    unsigned count = (unsigned)number(file);
    for (unsigned i = 0; i < count; i++) {
        argument_t *a = all + i;
        memset(a, 0, sizeof *a);
        a->is_buffer = number(file);
        if (!(a->is_buffer & 1)) {
            a->value = number(file);
            continue;
        }
        if (a->is_buffer == 3) {
            a->pointers = number(file);
            a->offsets = bytes(file, 8 * a->pointers);
        }
        a->align = number(file), a->size = number(file), a->origin = number(file), a->written = number(file);
        a->before = bytes(file, a->size);
        if (a->written)
            a->after = bytes(file, a->size);
    }
    for (int at_start = 0; at_start < 2; at_start++) {
        uintptr_t arguments[ARGUMENTS] = {0};
        for (unsigned i = 0; i < count; i++) {
            if (all[i].is_buffer & 1)
                lay_out(all + i, at_start);
            if (all[i].is_buffer == 3) {
                arguments[i] = (uintptr_t)point_into(all + i);
                continue;
            }
            if (all[i].is_buffer == 2) {
                arguments[i] = arguments[all[i].value];
                continue;
            }
            arguments[i] = all[i].is_buffer ? (uintptr_t)(all[i].place + all[i].origin) : (uintptr_t)all[i].value;
        }
        memset(stack, PAINT, sizeof stack);
        uint64_t saved[SAVED + 1], before[SAVED];
        for (int i = 0; i < SAVED; i++)
            saved[i] = before[i] = i < SAVED_GENERAL ? (uintptr_t)0x5EED0000C0DE0000u + (unsigned)i : 0x0123456789ABC000u + (unsigned)i;
        call_watched(KERNEL, arguments, stack + STACK, saved);

        const char *wrong = NULL;
        for (unsigned i = 0; i < count; i++) {
            argument_t *a = all + i;
            if (!(a->is_buffer & 1))
                continue;
            if (a->written)
                for (uint64_t at = 0; at < a->size && !wrong; at++)
                    if (a->place[at] != a->after[at]) {
                        printf("argument %u, byte %llu is %d, expected %d; ", i, (unsigned long long)at, a->place[at], a->after[at]);
                        wrong = "wrong result";
                    }
            if (!painted(a->base, a->place) || !painted(a->place + a->size, a->base + a->pages))
                wrong = "write beside a buffer";
            munmap(a->base - page, a->pages + 2 * page);
            free(a->table);
            a->table = NULL;
        }
        if (!painted(stack, stack + STACK - STACK_ARGUMENTS - stack_bytes))
            wrong = "more stack used than declared";
        else if (!painted(stack + STACK, stack + sizeof stack))
            wrong = "write to the caller's stack";
        else if (saved[SAVED] != 0)
            wrong = "stack pointer not given back";
        else
            for (int i = 0; i < SAVED; i++)
                if (saved[i] != before[i])
                    wrong = "callee-saved register not kept";
        if (wrong) {
            printf("%s in call %u\n", wrong, call);
            return 1;
        }
    }
    return 0;
}

/* replay stack_bytes file */
int main(int argc, char **argv)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    FILE *stream = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (!stream || fseek(stream, 0, SEEK_END))
        return 3;
    size_t size = (size_t)ftell(stream);
    uint8_t *data = malloc(size + 8);
    rewind(stream);
    if (!data || fread(data, 1, size, stream) != size)
        return 3;
    const uint8_t *file = data;
    unsigned calls = (unsigned)number(&file);
    for (unsigned call = 0; call < calls; call++)
        if (play(&file, call, (size_t)atoi(argv[1])))
            return 1;
    printf("%u calls right\n", calls);
    return 0;
}
