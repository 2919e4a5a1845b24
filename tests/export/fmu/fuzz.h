/* Calls in random order with random arguments, good and bad, of several instances at once. What must come back follows from the tables
   of the standard (which function in which state), not from the sources that are called: versions 2.0 and 3.0 give a table each, and say
   what their functions are called (GET, SET, ...); SIZES: whether arrays of values come with a size.

   Arguments of the program: token, seed, calls, size of forces, then numbers of inputs, numbers of the design, states, variables, and
   whether there are derivatives. Prints how many calls came back with each status. */
#ifndef FUZZ_H
#define FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { EXCHANGE = 1, STEPS = 2, BOTH = 3 };
enum { MADE = 1, INITIALISING = 2, EVENT = 4, CONTINUOUS = 8, STEPPING = 16, STEP_FAILED = 32, TERMINATED = 64, BROKEN = 128, ANY = 255 };
enum { SLOTS = 4, KEPT = 3, MOST = 8 };

typedef struct {
    void *state;
    int phase;
    double time;
} Kept;

/* What is known of an instance from outside. next, fallen: its phase where a call is done, or discarded. bad: an argument is wrong, so
   that an error must come back. */
typedef struct {
    void *instance;
    int kind, phase, next, fallen, logging, messages, bad;
    double time, next_time, fallen_time;
    Kept kept[KEPT];
    unsigned char *bytes;
    size_t size;
    int bytes_phase, bytes_kind;
    double bytes_time;
} Slot;

/* phases: in which the standard allows a call. sure: what is allowed and right cannot fail. weight: how often it is called, of 20. */
typedef struct {
    const char *name;
    int kinds, phases, sure, weight;
    int (*call)(Slot *s, int wild);
} Operation;

static Slot slots[SLOTS];
static uint64_t seed = 1;
static int inputs, design, states, variables, slopes;
static double scale, *first;
static const char *token;
static void *gone;

static uint64_t draw(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static int below(int n) {
    return n > 0 ? (int)(draw() >> 33) % n : 0;
}

static double uniform(void) {
    return 2.0 * ((double)(draw() >> 11) / 9007199254740992.0) - 1.0;
}

/* A number of any size, or none. */
static double strange(void) {
    switch (below(6)) {
    case 0: return NAN;
    case 1: return below(2) ? INFINITY : -INFINITY;
    case 2: return 0.0;
    case 3: return uniform() * 5e-324;
    default: return uniform() * pow(10.0, 300.0 * uniform());
    }
}

/* Memory of exactly n numbers, so that a step beyond is seen; NULL, and bad, now and then where wild. */
static void *room(Slot *s, size_t n, size_t size, int wild) {
    if (wild && below(5) == 0) {
        s->bad = s->bad || n > 0;
        return NULL;
    }
    void *out = malloc(n * size + (n == 0));
    memset(out, 0x5a, n * size + (n == 0));
    return out;
}

/* References from `begin` on, below begin + count; now and then one that is not there. */
static uint32_t *some(Slot *s, size_t n, int begin, int count, int wild) {
    uint32_t *out = room(s, n, sizeof *out, wild);
    for (size_t k = 0; out && k < n; ++k) {
        out[k] = (uint32_t)(begin + below(count));
        if (wild && below(4) == 0) {
            out[k] = (uint32_t)draw() | (uint32_t)variables;
            out[k] = out[k] < (uint32_t)variables ? (uint32_t)variables : out[k];
            s->bad = 1;
        }
    }
    return out;
}

static void message(Slot *s, int status, const char *category, const char *text) {
    if (status < WARNING || status > FATAL || !text || strlen(text) < 8 || strncmp(category, "logStatus", 9) != 0) {
        fprintf(stderr, "a message without sense: %d %s %s\n", status, category, text ? text : "(null)");
        exit(4);
    }
    s->messages++;
}

static void fail(const Slot *s, const Operation *o, int status, const char *why) {
    fprintf(stderr, "%s in phase %d, kind %d, bad %d: status %d, %s\n", o->name, s->phase, s->kind, s->bad, status, why);
    exit(3);
}

/* What an error makes of an instance: AFTER_ERROR of the version. SILENT: whether nothing is told unless it is asked for. */
static void check(Slot *s, const Operation *o, int status, int after_error, int silent, int *counts) {
    const int allowed = (o->kinds & s->kind) && (o->phases & s->phase);
    if (status < OK || status > ERROR || status == WARNING) {
        fail(s, o, status, "no status that may come");
    }
    if ((!allowed || s->bad) && status != ERROR) {
        fail(s, o, status, allowed ? "a wrong argument was taken" : "a call that is not allowed was done");
    }
    if (allowed && !s->bad && o->sure && status != OK) {
        fail(s, o, status, "what is right was refused");
    }
    if (status != OK && s->logging && !s->messages) {
        fail(s, o, status, "no message");
    }
    if ((status == OK || (silent && !s->logging)) && s->messages) {
        fail(s, o, status, "a message that was not asked for");
    }
    counts[status]++;
    if (status == ERROR) {
        s->phase = after_error;
    } else if (status == DISCARD && s->fallen) {
        s->phase = s->fallen;
        s->time = s->fallen_time;
    } else if (status == OK && s->next) {
        s->phase = s->next;
        s->time = s->next_time;
    }
}

/* Values that come back are numbers. */
static void demand_numbers(const double *x, size_t n) {
    for (size_t k = 0; x && k < n; ++k) {
        if (!isfinite(x[k])) {
            fprintf(stderr, "a value that is no number\n");
            exit(5);
        }
    }
}

/* What may be set: an input, and where `starting` a number of the design or a start value. */
static double value_of(uint32_t reference, int wild, int *bad) {
    if (wild && below(2)) {
        const double x = strange();
        *bad = *bad || !isfinite(x);
        return x;
    }
    if (reference <= (uint32_t)inputs) {
        return scale * uniform();
    }
    return first[reference] * (1.0 + 0.01 * uniform()) + (reference > (uint32_t)(inputs + design) ? 0.01 * uniform() : 0.0);
}

/* One that is alive, or was: of this instance, of another (bad), freed (bad). */
static Kept *kept_of(Slot *s, int wild) {
    if (wild) {
        Slot *other = &slots[below(SLOTS)];
        Kept *k = &other->kept[below(KEPT)];
        if (other != s && k->state) {
            s->bad = 1;
            return k;
        }
    }
    return &s->kept[below(KEPT)];
}

static void run(const Operation *operations, int count, long calls, int after_error, int silent, void (*make)(Slot *), void (*drop)(Slot *)) {
    int counts[5] = {0};
    for (long call = 0; call < calls; ++call) {
        Slot *s = &slots[below(SLOTS)];
        const Operation *o = &operations[below(count)];
        const int over = s->phase & (TERMINATED | BROKEN);
        const int wild = below(100) < (over ? 20 : 2);
        if (!s->instance) {
            make(s);
            continue;
        }
        if (over && below(4) == 0) {
            drop(s);
            continue;
        }
        for (int k = 0; k < 999 && !wild && !((o->kinds & s->kind) && (o->phases & s->phase) && below(20) < o->weight); ++k) {
            o = &operations[below(count)];
        }
        s->messages = s->bad = s->next = s->fallen = 0;
        s->next_time = s->time;
        check(s, o, o->call(s, wild), after_error, silent, counts);
    }
    for (int k = 0; k < SLOTS; ++k) {
        drop(&slots[k]);
        free(slots[k].bytes);
    }
    printf("%d %d %d\n", counts[OK], counts[DISCARD], counts[ERROR]);
}

static long read_words(int count, char **words) {
    if (count < 10) {
        exit(2);
    }
    token = words[1];
    seed = 88172645463325252u + 1000003u * (uint64_t)atol(words[2]);
    scale = atof(words[4]);
    inputs = atoi(words[5]);
    design = atoi(words[6]);
    states = atoi(words[7]);
    variables = atoi(words[8]);
    slopes = atoi(words[9]);
    first = calloc((size_t)variables, sizeof *first);
    return atol(words[3]);
}

#endif
