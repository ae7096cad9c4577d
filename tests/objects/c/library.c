/* What kernel.c calls: pointers in data, strings, doubles, a weak definition that another object overrides. */
#include "shapes.h"

static int32_t plus(int32_t a, int32_t b) { return a + b + shared_counter; }
static int32_t minus(int32_t a, int32_t b) { return a - b; }
static int32_t times(int32_t a, int32_t b) { return a * b; }
static int32_t both(int32_t a, int32_t b) { return (a & b) | exported_table[(a + b) & 15]; }
int32_t (*const operations[4])(int32_t, int32_t) = {plus, minus, times, both};
static const char *const names[] = {"relu", "softmax", "convolution", "requantize"};

const char *name_of(int32_t kind) { return names[kind & 3]; }
int64_t wide(int64_t a, int64_t b) { return a * b + (a << 33) - (b >> 3); }
double polynomial(double x) { return ((0.25 * x - 1.5) * x + 2.718281828459045) / 3.0; }
int32_t twice_through_pointer(int32_t (*function)(int32_t, int32_t), int32_t x) { return function(function(x, 3), 5); }
int32_t __attribute__((weak)) overridden(int32_t x) { return x - 1000; }
