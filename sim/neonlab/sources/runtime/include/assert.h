/* What the lab serves, declared for compilers without a C library for the target. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#ifdef __cplusplus
extern "C"
#endif
void __assert_fail(const char *text, const char *file, unsigned line, const char *function) __attribute__((noreturn));
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#endif
#if !defined(__cplusplus) && __STDC_VERSION__ < 202311L
#undef static_assert
#define static_assert _Static_assert
#endif
