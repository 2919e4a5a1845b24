/* A controller of `gough.export.export_law`, called `controller`, with the readings of a run: time and instructions of its steps.

   harness READINGS calls N          N steps back to back, the time of each; after each a spin of the same length (arithmetic in
                                     registers alone): its tail is the machine's own
   harness READINGS loop SECONDS     a step every period, woken by the clock: how late, how long
   harness READINGS instructions N   instructions of each of N steps, counted one by one (Linux)

   Prints JSON. READINGS: numbers of all samples, as the controller takes them, one sample behind the other. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "controller.h"

enum { WIDTH = CONTROLLER_ENCODERS_SIZE, BINS = 1 << 20 };

static double *readings;
static long rows;
static uint32_t histogram[BINS], late[BINS], spun[BINS];

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t percentile(const uint32_t *bins, double share, int64_t worst)
{
    uint64_t all = 0, sum = 0;
    for (int k = 0; k < BINS; ++k) {
        all += bins[k];
    }
    for (int k = 0; k < BINS - 1; ++k) {
        sum += bins[k];
        if ((double)sum >= share * (double)all) {
            return k;
        }
    }
    return worst;
}

static void note(uint32_t *bins, int64_t ns, int64_t *worst)
{
    const int64_t at = ns < 0 ? 0 : ns;
    ++bins[at < BINS - 1 ? at : BINS - 1];
    *worst = at > *worst ? at : *worst;
}

static void tell(const char *name, const uint32_t *bins, int64_t worst)
{
    printf("\"%s\": {\"p50\": %lld, \"p99\": %lld, \"p99.9\": %lld, \"worst\": %lld, \"by_us\": [", name,
           (long long)percentile(bins, 0.5, worst), (long long)percentile(bins, 0.99, worst),
           (long long)percentile(bins, 0.999, worst), (long long)worst);
    for (int us = 0; us < 50; ++us) { /* the last one: all that is longer */
        uint64_t sum = 0;
        for (int k = us * 1000; k < (us < 49 ? (us + 1) * 1000 : BINS); ++k) {
            sum += bins[k];
        }
        printf("%s%llu", us ? ", " : "", (unsigned long long)sum);
    }
    printf("]}");
}

static uint64_t stepped(controller_state *state, long *at, double *command)
{
    if (*at == rows) { /* the run once more */
        controller_init(state);
        *at = 0;
    }
    return controller_step(state, readings + WIDTH * (*at)++, command);
}

/* Ahead of others, and with nothing of it on disk; what of it was granted. */
static int fifo, locked;

static void go_ahead(void)
{
    struct sched_param own;
    memset(&own, 0, sizeof own);
    own.sched_priority = 80;
    fifo = sched_setscheduler(0, SCHED_FIFO, &own) == 0;
    locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
}

/* How often the processor was taken away, so far. */
static long taken_away(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : -1;
}

static void tell_how(long taken)
{
    printf("\"fifo\": %s, \"locked\": %s, \"taken_away\": %ld, ", fifo ? "true" : "false", locked ? "true" : "false", taken);
}

/* Arithmetic that touches no memory; the same every time. */
static uint64_t spin(long rounds)
{
    uint64_t x = 88172645463325252U;
    for (long k = 0; k < rounds; ++k) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

static volatile uint64_t kept;

/* The median of some steps (ns), and then the rounds of a spin that takes as long. */
static long rounds_as_long(controller_state *state, long *at, double *command, int64_t *step)
{
    enum { TRIED = 20001 };
    int64_t none = 0;
    for (long k = 0; k < TRIED; ++k) {
        const int64_t begin = now();
        (void)stepped(state, at, command);
        note(histogram, now() - begin, &none);
    }
    *step = percentile(histogram, 0.5, none);
    memset(histogram, 0, sizeof histogram);
    long rounds = 1000;
    for (int k = 0; k < 8; ++k) {
        memset(spun, 0, sizeof spun);
        for (long i = 0; i < TRIED / 8; ++i) {
            const int64_t begin = now();
            kept = spin(rounds);
            note(spun, now() - begin, &none);
        }
        const int64_t found = percentile(spun, 0.5, none);
        rounds = found > 0 ? (long)((double)rounds * (double)*step / (double)found + 0.5) : 2 * rounds;
    }
    memset(spun, 0, sizeof spun);
    return rounds;
}

/* Parts of all that took longer than this. */
static double longer(const uint32_t *bins, int64_t ns)
{
    uint64_t all = 0, sum = 0;
    for (int k = 0; k < BINS; ++k) {
        all += bins[k];
        sum += k > ns ? bins[k] : 0;
    }
    return (double)sum / (double)all;
}

static void calls(long n)
{
    controller_state state;
    double command[CONTROLLER_COMMAND_SIZE];
    int64_t worst = 0, none = 0, longest = 0, step = 0;
    long at = 0;
    uint64_t flags = 0;
    go_ahead();
    controller_init(&state);
    for (long k = 0; k < 1000; ++k) { /* what a look at the clock takes */
        const int64_t begin = now();
        note(late, now() - begin, &none);
    }
    const long rounds = rounds_as_long(&state, &at, command, &step);
    const long taken = taken_away();
    for (long k = 0; k < n; ++k) {
        const int64_t begin = now();
        flags |= stepped(&state, &at, command);
        note(histogram, now() - begin, &worst);
        const int64_t again = now();
        kept = spin(rounds);
        note(spun, now() - again, &longest);
    }
    printf("{\"steps\": %ld, \"flags\": %llu, \"clock_ns\": %lld, ", n, (unsigned long long)flags,
           (long long)percentile(late, 0.5, none));
    tell_how(taken_away() - taken);
    printf("\"longer\": {\"than_ns\": %lld, \"steps\": %.9g, \"spins\": %.9g}, ", (long long)(2 * step), longer(histogram, 2 * step),
           longer(spun, 2 * step));
    tell("step_ns", histogram, worst);
    printf(", ");
    tell("spin_ns", spun, longest);
    printf("}\n");
}

static void loop(double seconds)
{
    controller_state state;
    double command[CONTROLLER_COMMAND_SIZE];
    const int64_t period = (int64_t)(1e9 * CONTROLLER_PERIOD + 0.5);
    const long n = (long)(seconds / CONTROLLER_PERIOD);
    int64_t worst = 0, latest = 0;
    long at = 0, missed = 0;
    uint64_t flags = 0;
    go_ahead();
    controller_init(&state);
    const long taken = taken_away();
    int64_t due = now() + period;
    for (long k = 0; k < n; ++k, due += period) {
        const struct timespec until = {due / 1000000000, due % 1000000000};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
        }
        const int64_t begin = now();
        flags |= stepped(&state, &at, command);
        const int64_t end = now();
        note(late, begin - due, &latest);
        note(histogram, end - begin, &worst);
        missed += end > due + period;
    }
    printf("{\"steps\": %ld, \"flags\": %llu, \"missed\": %ld, ", n, (unsigned long long)flags, missed);
    tell_how(taken_away() - taken);
    tell("step_ns", histogram, worst);
    printf(", ");
    tell("late_ns", late, latest);
    printf("}\n");
}

/* The child stops before and behind every step; between two stops the parent goes on instruction by instruction. */
static void child(long n)
{
    controller_state state;
    double command[CONTROLLER_COMMAND_SIZE];
    long at = 0;
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    controller_init(&state);
    (void)stepped(&state, &at, command); /* libm's functions are bound */
    raise(SIGUSR1);
    raise(SIGUSR1); /* nothing between: what stopping itself takes */
    for (long k = 0; k < n; ++k) {
        raise(SIGUSR2);
        (void)stepped(&state, &at, command);
        raise(SIGUSR1);
    }
    _exit(0);
}

static long stretch(pid_t pid)
{
    long count = 0;
    int status;
    for (;;) {
        ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
        waitpid(pid, &status, 0);
        if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
            return count;
        }
        ++count;
    }
}

static int instructions(long n)
{
    const pid_t pid = fork();
    int status;
    if (pid == 0) {
        child(n);
    }
    waitpid(pid, &status, 0);
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGUSR1) {
        return 1;
    }
    const long stopping = stretch(pid);
    long least = 0, most = 0;
    for (long k = 0; k < n; ++k) {
        ptrace(PTRACE_CONT, pid, NULL, NULL);
        waitpid(pid, &status, 0);
        const long count = stretch(pid) - stopping;
        least = k == 0 || count < least ? count : least;
        most = count > most ? count : most;
    }
    ptrace(PTRACE_KILL, pid, NULL, NULL);
    printf("{\"steps\": %ld, \"least\": %ld, \"most\": %ld}\n", n, least, most);
    return 0;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 4 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        return 2;
    }
    fseek(file, 0, SEEK_END);
    rows = ftell(file) / (long)(WIDTH * sizeof(double));
    rewind(file);
    readings = malloc((size_t)rows * WIDTH * sizeof(double));
    if (readings == NULL || fread(readings, sizeof(double), (size_t)rows * WIDTH, file) != (size_t)rows * WIDTH) {
        return 2;
    }
    fclose(file);
    if (strcmp(argv[2], "calls") == 0) {
        calls(atol(argv[3]));
    } else if (strcmp(argv[2], "loop") == 0) {
        loop(atof(argv[3]));
    } else {
        return instructions(atol(argv[3]));
    }
    return 0;
}
