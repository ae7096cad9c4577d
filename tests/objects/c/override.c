#include "shapes.h"
int32_t overridden(int32_t x) { return x * 3 + (int32_t)(intptr_t)optional; }
