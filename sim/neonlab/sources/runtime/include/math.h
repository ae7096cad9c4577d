/* What the lab serves, declared for compilers without a C library for the target. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
#define NEONLAB_UNARY(name) \
    float name##f(float x); \
    double name(double x);
NEONLAB_UNARY(floor)
NEONLAB_UNARY(ceil)
NEONLAB_UNARY(trunc)
NEONLAB_UNARY(round)
NEONLAB_UNARY(roundeven)
NEONLAB_UNARY(rint)
NEONLAB_UNARY(nearbyint)
NEONLAB_UNARY(fabs)
NEONLAB_UNARY(sqrt)
#undef NEONLAB_UNARY
float fminf(float a, float b);
float fmaxf(float a, float b);
double fmin(double a, double b);
double fmax(double a, double b);
float fmaf(float a, float b, float c);
double fma(double a, double b, double c);
long lrintf(float x);
long lrint(double x);
long lroundf(float x);
long lround(double x);
float copysignf(float a, float b);
double copysign(double a, double b);
float ldexpf(float x, int k);
float expf(float x);
float tanhf(float x);
float logf(float x);
float log2f(float x);
float log10f(float x);
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define M_PI 3.14159265358979323846
#ifdef __cplusplus
}
#endif
