/* Lays out memory as `neonlab check` does: buffers between pages that nothing may touch, and code at its addresses. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static size_t page_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t pages_up(size_t size) {
    return (size + page_bytes() - 1) / page_bytes() * page_bytes();
}

uint64_t number_at(const unsigned char *at, int bytes) {
    uint64_t number = 0;
    memcpy(&number, at, (size_t)bytes);
    return number;
}

/* What memory around a buffer holds, by its place. */
static unsigned char around(size_t place) {
    return (unsigned char)((place * 2654435761u >> 13) ^ 0xA5);
}

int buffer_place(struct buffer *buffer) {
    size_t page = page_bytes();
    size_t inside = pages_up(buffer->before + buffer->size + buffer->after + buffer->alignment);
    uintptr_t end, address, pointer;
    buffer->usable = inside ? inside : page;
    buffer->map_bytes = buffer->usable + 2 * page;
    buffer->map = mmap(NULL, buffer->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer->map == MAP_FAILED) {
        buffer->map = NULL;
        return 0;
    }
    if (mprotect(buffer->map + page, buffer->usable, PROT_READ | PROT_WRITE))
        return 0;
    /* As close to the end of the last page as its alignment allows, so that a read beyond it faults. */
    end = (uintptr_t)(buffer->map + page + buffer->usable);
    address = end - buffer->after - buffer->size;
    pointer = address + buffer->origin;
    address -= (pointer - buffer->offset) % buffer->alignment;
    buffer->bytes = (unsigned char *)address;
    return 1;
}

void buffer_fill(struct buffer *buffer, struct buffer *all) {
    unsigned char *start = buffer->map + page_bytes();
    size_t place, first = (size_t)(buffer->bytes - start);
    mprotect(start, buffer->usable, PROT_READ | PROT_WRITE);
    for (place = 0; place < first; place++)
        start[place] = around(place);
    for (place = first + buffer->size; place < buffer->usable; place++)
        start[place] = around(place);
    memcpy(buffer->bytes, buffer->contents, buffer->size);
    for (uint32_t i = 0; i < buffer->pointer_count; i++) {
        const unsigned char *record = buffer->pointers + 24 * (size_t)i;
        struct buffer *target = &all[number_at(record + 8, 8)];
        uintptr_t value = (uintptr_t)target->bytes + target->origin + (uintptr_t)number_at(record + 16, 8);
        memcpy(buffer->bytes + number_at(record, 8), &value, sizeof value);
    }
}

void buffer_protect(struct buffer *buffer) {
    if (!buffer->writable)
        mprotect(buffer->map + page_bytes(), buffer->usable, PROT_READ);
}

void buffer_free(struct buffer *buffer) {
    if (buffer->map)
        munmap(buffer->map, buffer->map_bytes);
    buffer->map = NULL;
}

static int is_pointer(const struct buffer *buffer, uint64_t at) {
    for (uint32_t i = 0; i < buffer->pointer_count; i++) {
        uint64_t offset = number_at(buffer->pointers + 24 * (size_t)i, 8);
        if (offset <= at && at < offset + sizeof(uintptr_t))
            return 1;
    }
    return 0;
}

const char *buffer_damage(const struct buffer *buffer) {
    static char told[MESSAGE];
    const unsigned char *start = buffer->map + page_bytes();
    size_t place, first = (size_t)(buffer->bytes - start);
    uint64_t at = 0;
    for (place = 0; place < buffer->usable; place++) {
        if (place == first)
            place += buffer->size;
        if (place < buffer->usable && start[place] != around(place)) {
            long beyond = (long)place - (long)first;
            if (beyond < 0)
                snprintf(told, sizeof told, "wrote %ld bytes before `%s`", -beyond, buffer->name);
            else
                snprintf(told, sizeof told, "wrote at byte %ld of `%s`, which has %lu", beyond, buffer->name,
                         (unsigned long)buffer->size);
            return told;
        }
    }
    for (uint32_t run = 0; run <= buffer->written_runs; run++) {
        uint64_t from = run < buffer->written_runs ? number_at(buffer->written + 16 * (size_t)run, 8) : buffer->size;
        for (; at < from; at++)
            if (buffer->bytes[at] != buffer->contents[at] && !is_pointer(buffer, at)) {
                snprintf(told, sizeof told, "wrote byte %lu of `%s`, which is none that it may write",
                         (unsigned long)at, buffer->name);
                return told;
            }
        if (run < buffer->written_runs)
            at = from + number_at(buffer->written + 16 * (size_t)run + 8, 8);
    }
    return NULL;
}

/* The pages of all segments: those of one page size may share a page of another. */
static uintptr_t image_start(const struct kernel *kernel) {
    return (uintptr_t)kernel->segments[0].address / page_bytes() * page_bytes();
}

static size_t image_bytes(const struct kernel *kernel) {
    const struct segment *last = &kernel->segments[kernel->segment_count - 1];
    return pages_up((size_t)((uintptr_t)(last->address + last->size) - image_start(kernel)));
}

int image_map(const struct kernel *kernel) {
    void *wanted = (void *)image_start(kernel);
    int every = 0, separate = page_bytes() == 4096;
    void *got = mmap(wanted, image_bytes(kernel), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != wanted) {
        if (got != MAP_FAILED)
            munmap(got, image_bytes(kernel));
        return 0;
    }
    for (int i = 0; i < kernel->segment_count; i++) {
        char *bytes = (char *)(uintptr_t)kernel->segments[i].address;
        memcpy(bytes, kernel->segments[i].data, kernel->segments[i].size);
        __builtin___clear_cache(bytes, bytes + kernel->segments[i].size);
    }
    for (int i = 0; i < kernel->segment_count; i++) {
        const struct segment *segment = &kernel->segments[i];
        uintptr_t from = (uintptr_t)segment->address / 4096 * 4096;
        int protection =
            PROT_READ | (segment->writable ? PROT_WRITE : 0) | (segment->executable ? PROT_EXEC : 0);
        every |= protection;
        if (separate && segment->size &&
            mprotect((void *)from, pages_up((size_t)((uintptr_t)(segment->address + segment->size) - from)),
                     protection))
            return 0;
    }
    return separate || !mprotect(wanted, image_bytes(kernel), every);
}

void image_restore(const struct kernel *kernel) {
    for (int i = 0; i < kernel->segment_count; i++)
        if (kernel->segments[i].writable)
            memcpy((void *)(uintptr_t)kernel->segments[i].address, kernel->segments[i].data, kernel->segments[i].size);
}

void image_free(const struct kernel *kernel) {
    munmap((void *)image_start(kernel), image_bytes(kernel));
}

uint32_t image_checksum(const struct kernel *kernel) {
    uint32_t crc = 0xFFFFFFFFu;
    for (int i = 0; i < kernel->segment_count; i++) {
        const unsigned char *at = (const unsigned char *)(uintptr_t)kernel->segments[i].address;
        for (uint64_t n = 0; n < kernel->segments[i].size; n++) {
            crc ^= at[n];
            for (int bit = 0; bit < 8; bit++)
                crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    return ~crc;
}
