/* What the lab serves, declared for compilers without a C library for the target. */
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *malloc(size_t n);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t n);
void *aligned_alloc(size_t alignment, size_t n);
void free(void *block);
void abort(void) __attribute__((noreturn));
void exit(int status) __attribute__((noreturn));
int abs(int x);
long labs(long x);
#ifdef __cplusplus
}
#endif
