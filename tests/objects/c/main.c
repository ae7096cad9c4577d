#include <stdio.h>
#include <stdlib.h>
int run_all(int seed);
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) printf("%d\n", run_all(atoi(argv[i])));
    return 0;
}
