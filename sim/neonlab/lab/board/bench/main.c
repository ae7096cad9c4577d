/* Checks and times the kernels of kernels.c on this machine, and prints one JSON document. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 31, FAILURES_AT_MOST = 8 };
static const double BATCH_NS = 2e6, WARM_NS = 2e7, SHAPE_NS = 3e9;
static const char USAGE[] =
    "usage: bench [--cpu N] [--counter perf_event|pmccntr|clock] [--no-timing]\n"
    "  Checks and times the exported kernels, and prints the result as JSON.\n"
    "  The exit status is 0 if all results are right, 1 if a kernel is WRONG, 2 if the bench cannot run.\n";

static struct trial trial;

struct figures {
    double median, lowest, ns;
    uint64_t calls;
    int repetitions;
};

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_of(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Measure calls back to back: 1 if they all came back. */
static int measure(struct figures *figures, char message[MESSAGE]) {
    double cycles[REPETITIONS], ns[REPETITIONS], warm = 0, each = 0, spent = 0;
    struct reading from, to;
    trial.call.count = 1;
    while (warm < WARM_NS) {
        from = counter_read();
        if (!guarded(neonlab_repeat, &trial, message, 600))
            return 0;
        to = counter_read();
        each = (double)(to.ns - from.ns) / (double)trial.call.count;
        warm += (double)(to.ns - from.ns);
        if (each * (double)trial.call.count < BATCH_NS / 2)
            trial.call.count *= 2;
    }
    figures->calls = trial.call.count;
    for (figures->repetitions = 0; figures->repetitions < REPETITIONS; figures->repetitions++) {
        if (figures->repetitions >= 5 && spent > SHAPE_NS)
            break;
        from = counter_read();
        if (!guarded(neonlab_repeat, &trial, message, 600))
            return 0;
        to = counter_read();
        cycles[figures->repetitions] = counter_cycles(from, to) / (double)trial.call.count;
        ns[figures->repetitions] = (double)(to.ns - from.ns) / (double)trial.call.count;
        spent += (double)(to.ns - from.ns);
    }
    figures->median = median_of(cycles, figures->repetitions);
    figures->lowest = cycles[0];
    figures->ns = median_of(ns, figures->repetitions);
    return 1;
}

static void print_cycles(const char *name, double cycles) {
    printf(", \"%s\": ", name);
    if (cycles > 0)
        printf("%.3f", cycles);
    else
        printf("null");
}

static void print_timing(const struct kernel *kernel, const struct timing *timing, int first) {
    struct figures own, nothing;
    char message[MESSAGE] = "";
    int right;
    printf("%s\n        {\"shape\": ", first ? "" : ",");
    print_text(timing->shape);
    if (!trial_open(&trial, kernel, timing->offset)) {
        printf(", \"reason\": \"there is not enough memory\"}");
        trial_close(&trial);
        return;
    }
    trial_reset(&trial, kernel);
    right = measure(&own, message);
    if (right) {
        trial.call.entry = (uintptr_t)neonlab_nothing;
        right = measure(&nothing, message);
    }
    trial_close(&trial);
    if (!right) {
        printf(", \"reason\": ");
        print_text(message);
        printf("}");
        return;
    }
    printf(", \"calls\": %llu, \"repetitions\": %d", (unsigned long long)own.calls, own.repetitions);
    print_cycles("cycles", own.median);
    print_cycles("lowest", own.lowest);
    print_cycles("empty", nothing.median);
    printf(", \"ns\": %.3f, \"empty_ns\": %.3f}", own.ns, nothing.ns);
}

static int print_cases(const struct kernel *kernel) {
    int wrong = 0, tried = 0, hung = 0;
    char message[MESSAGE];
    printf("      \"failures\": [");
    for (int i = 0; i < kernel->case_count && wrong < FAILURES_AT_MOST && !hung; i++) {
        int right;
        message[0] = 0;
        if (trial_open(&trial, kernel, kernel->cases[i]))
            right = trial_check(&trial, kernel, message);
        else {
            right = 0;
            snprintf(message, sizeof message, "there is not enough memory");
        }
        tried++;
        if (!right) {
            printf("%s\n        {\"case\": ", wrong++ ? "," : "");
            print_text(trial.title);
            printf(", \"what\": ");
            print_text(message);
            printf("}");
        }
        hung = trial.hung;
        trial_close(&trial);
    }
    printf("%s],\n      \"tried\": %d,\n      \"wrong\": %d,\n", wrong ? "\n      " : "", tried, wrong);
    printf("      \"verdict\": \"%s\",\n", wrong ? "WRONG" : kernel->verdict);
    return wrong;
}

/* Print one kernel: 1 if it is wrong, 2 if it cannot run. */
static int print_kernel(const struct kernel *kernel, int timed) {
    int wrong;
    if (!image_map(kernel)) {
        fprintf(stderr, "bench: %s: its addresses are taken: 0x%llx\n", kernel->title,
                (unsigned long long)kernel->segments[0].address);
        return 2;
    }
    if (image_checksum(kernel) != kernel->checksum) {
        fprintf(stderr, "bench: %s: its code is not what was exported\n", kernel->title);
        return 2;
    }
    printf("    {\n      \"kernel\": ");
    print_text(kernel->title);
    printf(",\n%s", kernel->facts);
    wrong = print_cases(kernel);
    printf("      \"timings\": [");
    if (timed && !wrong)
        for (int i = 0; i < kernel->timing_count; i++)
            print_timing(kernel, &kernel->timings[i], i == 0);
    printf("]\n    }");
    image_free(kernel);
    return wrong > 0;
}

int main(int count, char **words) {
    int cpu = -1, timed = 1, status = 0;
    const char *wanted = NULL;
    for (int i = 1; i < count; i++) {
        if (!strcmp(words[i], "--cpu") && i + 1 < count)
            cpu = atoi(words[++i]);
        else if (!strcmp(words[i], "--counter") && i + 1 < count)
            wanted = words[++i];
        else if (!strcmp(words[i], "--no-timing"))
            timed = 0;
        else {
            fputs(USAGE, stderr);
            return 2;
        }
    }
    if (cpu >= 0 && machine_pin(cpu) < 0) {
        fprintf(stderr, "bench: this process may not run on CPU %d\n", cpu);
        return 2;
    }
    if (cpu < 0)
        cpu = machine_pin(-1);
    counter_open(cpu < 0 ? 0 : cpu, wanted);
    faults_catch();
    printf("{\n%s", neonlab_facts);
    machine_print(cpu);
    printf("  \"compiler\": ");
    print_text(__VERSION__);
    printf(",\n  \"counter\": {\"kind\": \"%s\", \"hz\": ", counter_kind());
    if (counter_hz() > 0)
        printf("%.0f, \"frequency\": \"%s\"},\n", counter_hz(), counter_frequency_source());
    else
        printf("null, \"frequency\": null},\n");
    printf("  \"kernels\": [\n");
    for (int i = 0; i < neonlab_kernel_count; i++) {
        int found = print_kernel(&neonlab_kernels[i], timed);
        if (found == 2)
            return 2;
        status |= found;
        printf("%s\n", i + 1 < neonlab_kernel_count ? "," : "");
    }
    printf("  ]\n}\n");
    return status;
}
