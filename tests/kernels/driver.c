/* Calls a conv1x1 kernel the way its contract says it may be called, and tells what it did wrong.
 *
 * Each buffer is laid against an inaccessible page, first with its end, then with its start; inputs are read-only; the
 * bytes beside a buffer are painted and looked at afterwards.  The call runs on a painted stack of its own, with known
 * values in the registers that the kernel must give back.  Sums are compared with plain int64 arithmetic. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void kernel_t(const int8_t *, const int8_t *, int32_t *, size_t, size_t, size_t);
extern kernel_t KERNEL;

enum { SAVED = SAVED_REGISTERS, PAINT = 0xA5, STACK = 4096 };
/* Runs `kernel` on the stack that ends at `stack_top`; `saved` goes into the registers a callee must keep and comes
 * back as what it left there, followed by the stack pointer's change. */
extern void call_watched(kernel_t *kernel, const uintptr_t arguments[16], uint8_t *stack_top, uint64_t saved[SAVED + 1]);

typedef struct {
    uint8_t *start; /* first accessible byte; inaccessible pages on both sides */
    size_t size;
} region_t;

static region_t new_region(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
    uint8_t *base = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + page, size, PROT_READ | PROT_WRITE)) {
        perror("mmap");
        exit(3);
    }
    return (region_t){base + page, size};
}

static uint32_t seed;
static uint32_t next_random(void) /* xorshift32 */
{
    seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
    return seed;
}

enum { RANDOM, EITHER_END, LOW_LOW, LOW_HIGH, HIGH_LOW, HIGH_HIGH, PATTERNS };
static const char *const pattern_names[] = {"random", "either end", "low x low", "low x high", "high x low", "high x high"};

static void fill(int8_t *data, size_t size, int low, int high, int kind)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (int8_t)(kind == RANDOM       ? low + (int)(next_random() % (uint32_t)(high - low + 1))
                           : kind == EITHER_END ? (next_random() & 64 ? high : low)
                           : kind == LOW_LOW    ? low
                                                : high);
}

static int painted(const uint8_t *from, const uint8_t *to)
{
    while (from < to)
        if (*from++ != PAINT)
            return 0;
    return 1;
}

static region_t input_region, weights_region, output_region;
static uint8_t stack[STACK + 16] __attribute__((aligned(16)));
static int is_hwc, weights_low, weights_high;
static size_t stack_bytes;

static int check(size_t pixels, size_t in_channels, size_t out_channels, int pattern)
{
    size_t inputs = pixels * in_channels, weight_count = out_channels * in_channels, outputs = pixels * out_channels;
    int64_t *expected = calloc(outputs, sizeof *expected);
    int input_kind = pattern <= EITHER_END ? pattern : pattern <= LOW_HIGH ? LOW_LOW : HIGH_HIGH;
    int weights_kind = pattern <= EITHER_END ? pattern : (pattern == LOW_LOW || pattern == HIGH_LOW) ? LOW_LOW : HIGH_HIGH;
    const char *wrong = NULL;
    for (int at_start = 0; at_start < 2 && !wrong; at_start++) {
        int8_t *input = (int8_t *)input_region.start + (at_start ? 0 : input_region.size - inputs);
        int8_t *weights = (int8_t *)weights_region.start + (at_start ? 0 : weights_region.size - weight_count);
        uint8_t *output_bytes = output_region.start + (at_start ? 0 : output_region.size - 4 * outputs);
        int32_t *output = (int32_t *)output_bytes;
        uint32_t seed_before = seed;
        fill(input, inputs, -128, 127, input_kind);
        fill(weights, weight_count, weights_low, weights_high, weights_kind);
        if (!at_start) {
            seed = seed_before; /* the same data once more, for the second placement */
            for (size_t o = 0; o < out_channels; o++)
                for (size_t i = 0; i < in_channels; i++) {
                    int64_t weight = weights[o * in_channels + i];
                    if (is_hwc)
                        for (size_t p = 0; p < pixels; p++)
                            expected[p * out_channels + o] += weight * input[p * in_channels + i];
                    else
                        for (size_t p = 0; p < pixels; p++)
                            expected[o * pixels + p] += weight * input[i * pixels + p];
                }
        }
        memset(output_region.start, PAINT, output_region.size);
        memset(stack, PAINT, sizeof stack);
        uint64_t saved[SAVED + 1], before[SAVED];
        for (int i = 0; i < SAVED; i++)
            saved[i] = before[i] = i < SAVED_GENERAL ? (uintptr_t)0x5EED0000C0DE0000u + (unsigned)i : 0x0123456789ABC000u + (unsigned)i;
        uintptr_t arguments[16] = {(uintptr_t)input, (uintptr_t)weights, (uintptr_t)output, pixels, in_channels, out_channels};
        mprotect(input_region.start, input_region.size, PROT_READ);
        mprotect(weights_region.start, weights_region.size, PROT_READ);
        call_watched(KERNEL, arguments, stack + STACK, saved);
        mprotect(input_region.start, input_region.size, PROT_READ | PROT_WRITE);
        mprotect(weights_region.start, weights_region.size, PROT_READ | PROT_WRITE);

        size_t bad = outputs;
        for (size_t i = outputs; i-- > 0;)
            if (output[i] != expected[i])
                bad = i;
        if (bad < outputs) {
            printf("element %zu is %d, expected %lld; ", bad, output[bad], (long long)expected[bad]);
            wrong = "wrong sum";
        } else if (!painted(output_region.start, output_bytes) ||
                   !painted(output_bytes + 4 * outputs, output_region.start + output_region.size))
            wrong = "write beside the output";
        else if (!painted(stack, stack + STACK - STACK_ARGUMENTS - stack_bytes))
            wrong = "more stack used than declared";
        else if (memcmp(stack + STACK - STACK_ARGUMENTS, arguments + 16 - STACK_ARGUMENTS / sizeof *arguments, STACK_ARGUMENTS) || !painted(stack + STACK, stack + sizeof stack))
            wrong = "write to the caller's stack";
        else if (saved[SAVED] != 0)
            wrong = "stack pointer not given back";
        else
            for (int i = 0; i < SAVED; i++)
                if (saved[i] != before[i])
                    wrong = "callee-saved register not kept";
    }
    next_random();
    free(expected);
    if (wrong)
        printf("%s: %zu pixels, %zu in, %zu out, %s\n", wrong, pixels, in_channels, out_channels, pattern_names[pattern]);
    return wrong != NULL;
}

/* driver chw|hwc weights_low weights_high stack_bytes seed pixels_first pixels_last pixels_step in_last out_last
 *        every size up to the last ones, every pattern
 * driver ... pixels pixels 1 in_channels out_channels exactly: that shape alone, random data and both kinds of extremes */
int main(int argc, char **argv)
{
    if (argc < 11)
        return 3;
    is_hwc = strcmp(argv[1], "hwc") == 0;
    weights_low = atoi(argv[2]), weights_high = atoi(argv[3]);
    stack_bytes = (size_t)atoi(argv[4]);
    seed = (uint32_t)atoi(argv[5]) | 1;
    size_t first = (size_t)atoi(argv[6]), last = (size_t)atoi(argv[7]), step = (size_t)atoi(argv[8]);
    size_t in_last = (size_t)atoi(argv[9]), out_last = (size_t)atoi(argv[10]);
    int exactly = argc > 11;
    input_region = new_region(last * in_last);
    weights_region = new_region(in_last * out_last);
    output_region = new_region(4 * last * out_last);
    unsigned calls = 0;
    for (size_t pixels = first; pixels <= last; pixels += step)
        for (size_t in = exactly ? in_last : 1; in <= in_last; in++)
            for (size_t out = exactly ? out_last : 1; out <= out_last; out++)
                for (int pattern = 0; pattern < (exactly ? LOW_LOW : PATTERNS); pattern++, calls += 2)
                    if (check(pixels, in, out, pattern))
                        return 1;
    printf("%u calls exact\n", calls);
    return 0;
}
