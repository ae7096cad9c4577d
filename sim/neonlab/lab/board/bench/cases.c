/* Reads cases, calls the kernel on them, and compares as `neonlab check` does: every element must be equal. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNSIGNED_NUMBER, SIGNED_NUMBER, FLOAT_NUMBER };

#if defined(__aarch64__)
enum { KEPT = 11 };
static const char *const KEPT_NAMES[] = {"x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29"};
static const char *const MODES[] = {"the thread pointer", "fpcr"};
static const int KEPT_NOISE = 40; /* where call.S takes them from, in numbers of 64 bits */
static const int D_NOISE = 0;
#else
enum { KEPT = 8 };
static const char *const KEPT_NAMES[] = {"r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11"};
static const char *const MODES[] = {"the thread pointer", "the modes of fpscr"};
static const int KEPT_NOISE = 24;
static const int D_NOISE = 0;
#endif

static uint64_t next_number(const unsigned char **at) {
    uint64_t number = number_at(*at, 8);
    *at += 8;
    return number;
}

static void next_text(const unsigned char **at, char *text, size_t size) {
    uint64_t length = next_number(at);
    size_t taken = length < size ? (size_t)length : size - 1;
    memcpy(text, *at, taken);
    text[taken] = 0;
    *at += (length + 7) / 8 * 8;
}

static int open_buffer(struct buffer *buffer, const unsigned char **at) {
    memset(buffer, 0, sizeof *buffer);
    next_text(at, buffer->name, sizeof buffer->name);
    buffer->contents = neonlab_cases + next_number(at);
    buffer->size = next_number(at);
    buffer->origin = (uint32_t)next_number(at);
    buffer->alignment = (uint32_t)next_number(at);
    buffer->offset = (uint32_t)next_number(at);
    buffer->before = (uint32_t)next_number(at);
    buffer->after = (uint32_t)next_number(at);
    buffer->writable = (uint32_t)next_number(at);
    buffer->written_runs = (uint32_t)next_number(at);
    buffer->written = *at;
    *at += 16 * (size_t)buffer->written_runs;
    buffer->pointer_count = (uint32_t)next_number(at);
    buffer->pointers = *at;
    *at += 24 * (size_t)buffer->pointer_count;
    return buffer_place(buffer);
}

static void make_noise(uint64_t *noise, uint64_t state) {
    for (int i = 0; i < 64; i++) { /* splitmix64 */
        uint64_t z = state += 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        noise[i] = z ^ z >> 31;
    }
}

int trial_open(struct trial *trial, const struct kernel *kernel, uint64_t offset) {
    const unsigned char *at = neonlab_cases + offset;
    uint64_t fixups;
    const unsigned char *fixup;
    memset(trial, 0, sizeof *trial);
    next_text(&at, trial->title, sizeof trial->title);
    make_noise(trial->noise, next_number(&at));
    for (int i = 0; i < 16; i++)
        (i < 8 ? trial->call.core : trial->call.vector)[i % 8] = next_number(&at);
    trial->call.stack_bytes = next_number(&at);
    memcpy(trial->stack, at, (size_t)trial->call.stack_bytes);
    at += trial->call.stack_bytes;
    trial->call.stack = (uintptr_t)trial->stack;
    trial->call.noise = (uintptr_t)trial->noise;
    trial->call.entry = kernel->entry;
    fixups = next_number(&at);
    fixup = at;
    at += 16 * fixups;
    trial->returned_place = (uint32_t)next_number(&at);
    trial->returned_kind = (uint32_t)next_number(&at);
    trial->returned_size = (uint32_t)next_number(&at);
    trial->returned = next_number(&at);
    trial->buffer_count = (int)next_number(&at);
    for (int i = 0; i < trial->buffer_count; i++)
        if (!open_buffer(&trial->buffers[i], &at))
            return 0;
    trial->expected_count = (uint32_t)next_number(&at);
    trial->expected = at;
    for (uint64_t i = 0; i < fixups; i++) {
        uint64_t place = next_number(&fixup);
        struct buffer *buffer = &trial->buffers[next_number(&fixup)];
        uintptr_t value = (uintptr_t)buffer->bytes + buffer->origin;
        memcpy(place < 64 ? (unsigned char *)trial->call.core + place : trial->stack + place - 128, &value,
               sizeof value);
    }
    return 1;
}

void trial_reset(struct trial *trial, const struct kernel *kernel) {
    image_restore(kernel);
    for (int i = 0; i < trial->buffer_count; i++)
        buffer_fill(&trial->buffers[i], trial->buffers);
    for (int i = 0; i < trial->buffer_count; i++)
        buffer_protect(&trial->buffers[i]);
}

void trial_close(struct trial *trial) {
    for (int i = 0; i < trial->buffer_count; i++)
        buffer_free(&trial->buffers[i]);
}

/* As numpy compares: zeros of both signs are equal, and a NaN equals nothing. */
static int equal(uint64_t got, uint64_t wanted, int kind, int size) {
    static const int MANTISSA[] = {0, 0, 10, 0, 23, 0, 0, 0, 52};
    uint64_t sign, infinity;
    if (kind != FLOAT_NUMBER)
        return got == wanted;
    sign = (uint64_t)1 << (8 * size - 1);
    infinity = (sign - 1) >> MANTISSA[size] << MANTISSA[size];
    if ((got & ~sign) > infinity || (wanted & ~sign) > infinity)
        return 0;
    return got == wanted || ((got | wanted) & ~sign) == 0;
}

static const char *shown(uint64_t number, int kind, int size, char text[48]) {
    if (kind == FLOAT_NUMBER && size == 4) {
        float value;
        memcpy(&value, &number, 4);
        snprintf(text, 48, "%.9g", (double)value);
    } else if (kind == FLOAT_NUMBER && size == 8) {
        double value;
        memcpy(&value, &number, 8);
        snprintf(text, 48, "%.17g", value);
    } else if (kind == FLOAT_NUMBER)
        snprintf(text, 48, "0x%04llx", (unsigned long long)number);
    else if (kind == SIGNED_NUMBER)
        snprintf(text, 48, "%lld", (long long)((int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size)));
    else
        snprintf(text, 48, "%llu", (unsigned long long)number);
    return text;
}

/* Compare one output, whose record is at `*at`: 1 if it is right. */
static int compare_output(struct trial *trial, const unsigned char **at, char message[MESSAGE]) {
    struct buffer *buffer = &trial->buffers[next_number(at)];
    int kind = (int)next_number(at), size = (int)next_number(at);
    const unsigned char *wanted = neonlab_cases + next_number(at);
    uint64_t bytes = next_number(at), runs = next_number(at), filled = 0, wrong = 0, first = 0;
    unsigned char *got = malloc(bytes ? (size_t)bytes : 1);
    char left[48], right[48];
    for (uint64_t run = 0; run < runs; run++) {
        uint64_t start = next_number(at), length = next_number(at);
        if (got)
            memcpy(got + filled, buffer->bytes + start, (size_t)length);
        filled += length;
    }
    if (!got) {
        snprintf(message, MESSAGE, "out of memory");
        return 0;
    }
    for (uint64_t i = 0; i + (uint64_t)size <= bytes; i += (uint64_t)size)
        if (!equal(number_at(got + i, size), number_at(wanted + i, size), kind, size) && !wrong++)
            first = i;
    if (wrong)
        snprintf(message, MESSAGE, "`%s`: element %llu is %s, expected %s; %llu of %llu elements are wrong",
                 buffer->name, (unsigned long long)(first / (uint64_t)size),
                 shown(number_at(got + first, size), kind, size, left),
                 shown(number_at(wanted + first, size), kind, size, right), (unsigned long long)wrong,
                 (unsigned long long)(bytes / (uint64_t)size));
    free(got);
    return !wrong;
}

static int keeps_registers(const struct trial *trial, char message[MESSAGE]) {
    const unsigned char *core = (const unsigned char *)trial->call.kept;
    int width = (int)sizeof(uintptr_t);
    for (int i = 0; i < KEPT; i++)
        if (memcmp(core + width * i, (const unsigned char *)(trial->noise + KEPT_NOISE) + width * i, (size_t)width)) {
            snprintf(message, MESSAGE, "does not preserve %s", KEPT_NAMES[i]);
            return 0;
        }
    for (int i = 0; i < 8; i++)
        if (trial->call.kept_d[i] != trial->noise[D_NOISE + i]) {
            snprintf(message, MESSAGE, "does not preserve d%d", 8 + i);
            return 0;
        }
    for (int i = 0; i < 2; i++)
        if (trial->call.changed[i]) {
            snprintf(message, MESSAGE, "does not preserve %s", MODES[i]);
            return 0;
        }
    if (trial->call.moved_sp) {
        snprintf(message, MESSAGE, "returns with another sp");
        return 0;
    }
    return 1;
}

static int compare_returned(const struct trial *trial, char message[MESSAGE]) {
    uint64_t got = trial->returned_place == 1 ? trial->call.result : trial->call.result_d0;
    char left[48], right[48];
    int size = (int)trial->returned_size, kind = (int)trial->returned_kind;
    if (!trial->returned_place)
        return 1;
    if (size < 8)
        got &= ((uint64_t)1 << 8 * size) - 1;
    if (equal(got, trial->returned, kind, size))
        return 1;
    snprintf(message, MESSAGE, "returned %s, expected %s", shown(got, kind, size, left),
             shown(trial->returned, kind, size, right));
    return 0;
}

int trial_check(struct trial *trial, const struct kernel *kernel, char message[MESSAGE]) {
    const unsigned char *at = trial->expected;
    trial_reset(trial, kernel);
    if (!guarded(neonlab_call, trial, message, 20))
        return 0;
    for (uint32_t i = 0; i < trial->expected_count; i++)
        if (!compare_output(trial, &at, message))
            return 0;
    if (!compare_returned(trial, message))
        return 0;
    if (kernel->results_only)
        return 1;
    for (int i = 0; i < trial->buffer_count; i++) {
        const char *damage = buffer_damage(&trial->buffers[i]);
        if (damage) {
            snprintf(message, MESSAGE, "%s", damage);
            return 0;
        }
    }
    return keeps_registers(trial, message);
}
