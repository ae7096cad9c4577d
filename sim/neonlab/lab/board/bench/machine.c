/* Says what machine this is: its core, its frequency, its system. */
#define _GNU_SOURCE
#include "bench.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

static char cpuinfo[32768];

int file_text(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "r");
    size_t length;
    text[0] = 0;
    if (!file)
        return 0;
    length = fread(text, 1, size - 1, file);
    fclose(file);
    while (length && (text[length - 1] == '\n' || text[length - 1] == ' '))
        length--;
    text[length] = 0;
    return length > 0;
}

void print_text(const char *text) {
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c == '\n')
            printf("\\n");
        else if (c < 32 || c > 126)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_file(const char *name, const char *path) {
    static char text[32768];
    printf("    \"%s\": ", name);
    if (file_text(path, text, sizeof text))
        print_text(text);
    else
        printf("null");
    printf(",\n");
}

int machine_pin(int cpu) {
    cpu_set_t set;
    if (cpu < 0)
        cpu = sched_getcpu();
    if (cpu < 0)
        cpu = 0;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) ? -1 : cpu;
}

/* The field `name` of processor `cpu` in /proc/cpuinfo; of the last processor if the file does not tell them apart. */
static unsigned long cpuinfo_field(int cpu, const char *name, int *found) {
    unsigned long value = 0;
    int processor = -1;
    *found = 0;
    for (const char *line = cpuinfo; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        const char *colon = strchr(line, ':');
        if (!strncmp(line, "processor", 9) && colon)
            processor = atoi(colon + 1);
        if (!strncmp(line, name, strlen(name)) && colon && (processor == cpu || processor < 0 || !*found)) {
            value = strtoul(colon + 1, NULL, 0);
            *found = 1;
            if (processor == cpu)
                return value;
        }
    }
    return value;
}

static unsigned long midr_of(int cpu) {
    char path[128], text[64];
    int a, b, c, d;
    unsigned long implementer, variant, part, revision;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu);
    if (file_text(path, text, sizeof text))
        return strtoul(text, NULL, 0);
#if defined(__aarch64__)
    if (getauxval(AT_HWCAP) & 1ul << 11) { /* HWCAP_CPUID: the kernel answers */
        unsigned long midr;
        __asm__("mrs %0, midr_el1" : "=r"(midr));
        return midr;
    }
#endif
    implementer = cpuinfo_field(cpu, "CPU implementer", &a);
    variant = cpuinfo_field(cpu, "CPU variant", &b);
    part = cpuinfo_field(cpu, "CPU part", &c);
    revision = cpuinfo_field(cpu, "CPU revision", &d);
    if (!a || !b || !c || !d)
        return 0;
    return implementer << 24 | variant << 20 | 0xFul << 16 | part << 4 | revision;
}

void machine_print(int cpu) {
    char path[128];
    struct utsname name;
    unsigned long midr;
    memset(&name, 0, sizeof name);
    uname(&name);
    file_text("/proc/cpuinfo", cpuinfo, sizeof cpuinfo);
    midr = midr_of(cpu < 0 ? 0 : cpu);
    printf("  \"machine\": {\n    \"cpu\": %d,\n    \"midr\": ", cpu);
    if (midr)
        printf("\"0x%08lx\",\n", midr);
    else
        printf("null,\n");
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu < 0 ? 0 : cpu);
    print_file("governor", path);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu < 0 ? 0 : cpu);
    print_file("frequency_khz", path);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq", cpu < 0 ? 0 : cpu);
    print_file("most_khz", path);
    printf("    \"page_bytes\": %ld,\n    \"system\": ", sysconf(_SC_PAGESIZE));
    print_text(name.sysname);
    printf(",\n    \"release\": ");
    print_text(name.release);
    printf(",\n    \"architecture\": ");
    print_text(name.machine);
    printf(",\n    \"cpuinfo\": ");
    print_text(cpuinfo);
    printf("\n  },\n");
}
