/* What the files of this bench share. `neonlab board export` wrote it, and kernels.S, kernels.c and cases.bin beside it. */
#ifndef NEONLAB_BENCH_H
#define NEONLAB_BENCH_H

#include <stddef.h>
#include <stdint.h>

/* One call of a kernel. call.S has the same offsets. */
struct call {
    uint64_t core[8];     /*   0: x0-x7, or r0-r3 in the low words */
    uint64_t vector[8];   /*  64: d0-d7 */
    uint64_t stack_bytes; /* 128: a multiple of 16 */
    uint64_t stack;       /* 136: address of the arguments on the stack */
    uint64_t noise;       /* 144: address of 64 numbers for registers that a caller does not set */
    uint64_t entry;       /* 152: address of the function */
    uint64_t result;      /* 160: x0, or r0 and r1 */
    uint64_t result_d0;   /* 168 */
    uint64_t kept[12];    /* 176: x19-x29, or r4-r11, as the function left them */
    uint64_t kept_d[8];   /* 272: d8-d15 */
    uint64_t moved_sp;    /* 336: bytes by which sp differs after the call */
    uint64_t count;       /* 344: calls that neonlab_repeat makes */
    uint64_t saved_sp;    /* 352: of call.S */
    uint64_t saved[2];    /* 360: tpidr_el0 and fpcr, or TPIDRURW and fpscr */
    uint64_t changed[2];  /* 376: bits of them that the function changed */
};

void neonlab_call(struct call *call);   /* call once, with noise in registers, and look at what is kept */
void neonlab_repeat(struct call *call); /* call `count` times, setting the arguments alone */
void neonlab_nothing(void);             /* return at once */

/* The tables of kernels.c. */
struct segment {
    const unsigned char *data;
    uint64_t address, size;
    int executable, writable;
};

struct timing {
    const char *shape;
    uint64_t offset; /* of its case in cases.bin */
};

struct kernel {
    const char *title;
    const char *facts; /* JSON properties that are printed as they are */
    uint64_t entry;    /* address, with bit 0 set for Thumb */
    uint32_t checksum; /* CRC-32 of the segments */
    int results_only;  /* the contract accepts faults: compare results, and not what lies around them */
    const char *verdict; /* if nothing is wrong: exact, or ran or unchecked where no results are expected */
    const struct segment *segments;
    int segment_count;
    const uint64_t *cases; /* offsets in cases.bin */
    int case_count;
    const struct timing *timings;
    int timing_count;
};

extern const struct kernel neonlab_kernels[];
extern const int neonlab_kernel_count;
extern const char neonlab_facts[]; /* JSON properties of the whole export */
extern const unsigned char neonlab_cases[];

/* memory.c: a buffer between pages that nothing may touch. */
struct buffer {
    const unsigned char *contents; /* at the start of a call */
    uint64_t size;
    uint32_t origin, alignment, offset, before, after, writable;
    const unsigned char *written; /* runs of (start, length), 64 bits each, that may change */
    uint32_t written_runs;
    const unsigned char *pointers; /* (offset, target, displacement), 64 bits each */
    uint32_t pointer_count;
    unsigned char *map, *bytes; /* where it lies */
    size_t map_bytes, usable;
    char name[48];
};

int buffer_place(struct buffer *buffer); /* 0 if there is no memory for it */
void buffer_fill(struct buffer *buffer, struct buffer *all);
void buffer_protect(struct buffer *buffer);
void buffer_free(struct buffer *buffer);
const char *buffer_damage(const struct buffer *buffer); /* NULL, or what is wrong around the results */
int image_map(const struct kernel *kernel);             /* 0 if its addresses are taken */
void image_restore(const struct kernel *kernel);        /* writable data as they were linked */
void image_free(const struct kernel *kernel);
uint32_t image_checksum(const struct kernel *kernel);

/* cases.c */
enum { BUFFERS_AT_MOST = 64, MESSAGE = 400 };

struct trial {
    struct call call;
    struct buffer buffers[BUFFERS_AT_MOST];
    int buffer_count;
    unsigned char stack[4096];
    const unsigned char *expected; /* records of expected results */
    uint32_t expected_count;
    uint32_t returned_place, returned_kind, returned_size; /* place 0: not compared, 1: core registers, 2: d0 */
    uint64_t returned, noise[64];
    int hung; /* a call did not return in time */
    char title[160];
};

int trial_open(struct trial *trial, const struct kernel *kernel, uint64_t offset);
void trial_reset(struct trial *trial, const struct kernel *kernel);
void trial_close(struct trial *trial);
/* Call once and compare: 1 if right; else 0 and why in `message`. */
int trial_check(struct trial *trial, const struct kernel *kernel, char message[MESSAGE]);
/* Run with faults caught: 1 if it came back; else 0 and why in `message`. */
int guarded(void (*run)(struct call *), struct trial *trial, char message[MESSAGE], unsigned seconds);
void faults_catch(void);
uint64_t number_at(const unsigned char *at, int bytes);

/* counter.c */
struct reading {
    uint64_t cycles; /* 0 without a counter */
    uint64_t ns;
};

void counter_open(int cpu, const char *wanted);
struct reading counter_read(void);
double counter_cycles(struct reading from, struct reading to); /* 0 if unknown */
const char *counter_kind(void); /* perf_event, pmccntr or clock */
const char *counter_frequency_source(void);
double counter_hz(void); /* of the clock's conversion to cycles; 0 if unknown or not used */

/* machine.c */
int machine_pin(int cpu); /* the CPU that this process now stays on */
void machine_print(int cpu);
void print_text(const char *text); /* as a JSON string */
int file_text(const char *path, char *text, size_t size);

#endif
