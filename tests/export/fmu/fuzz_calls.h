/* Calls that both versions have; see fuzz.h. */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "fuzz.h"

#define MOVE(function, to)                      \
    static int call_##function(Slot *s, int w) { \
        (void)w;                                \
        s->next = (to);                         \
        return function(s->instance);           \
    }
static int get(Slot *s, int wild) {
    const size_t n = (size_t)below(MOST), size = SIZES && wild && below(3) == 0 ? n + (size_t)below(3) : n;
    s->bad = size != n;
    uint32_t *references = some(s, n, 0, variables, wild);
    double *values = room(s, size, sizeof *values, wild);
    const int status = GET(s->instance, references, n, values, size);
    if (status == OK) {
        demand_numbers(values, n);
    }
    free(references);
    free(values);
    return status;
}

static int set(Slot *s, int wild) {
    const int starting = s->phase & (MADE | INITIALISING), moving = STATES_MAY_BE_SET && s->phase == CONTINUOUS;
    const size_t n = inputs || starting || wild ? (size_t)below(4) : 0, size = SIZES && wild && below(3) == 0 ? n + (size_t)below(3) : n;
    s->bad = size != n;
    uint32_t *references = some(s, n, 1, starting && below(3) == 0 ? inputs + design + states : inputs, wild);
    double *values = room(s, size, sizeof *values, wild);
    for (size_t k = 0; references && values && k < n && k < size; ++k) {
        values[k] = references[k] < (uint32_t)variables ? value_of(references[k], !starting && (wild || below(30) == 0), &s->bad) : 0.0;
        s->bad = s->bad || (!starting && references[k] > (uint32_t)inputs && !(moving && references[k] > (uint32_t)(inputs + design)));
    }
    const int status = SET(s->instance, references, n, values, size);
    free(references);
    free(values);
    return status;
}

typedef int (*Vector)(void *, double *, size_t);

static int vector(Slot *s, int wild, Vector call) {
    const size_t n = (size_t)states + (wild ? (size_t)below(2) : 0);
    s->bad = n != (size_t)states;
    double *x = room(s, n, sizeof *x, wild);
    const int status = call(s->instance, x, n);
    if (status == OK) {
        demand_numbers(x, n);
    }
    free(x);
    return status;
}

static int get_indicators(Slot *s, int wild) {
    const size_t n = wild ? (size_t)below(2) : 0;
    double one;
    s->bad = n > 0;
    return GET_INDICATORS(s->instance, &one, n);
}

static int set_time(Slot *s, int wild) {
    const double time = wild ? strange() : s->time + 1e-3 * (1.0 + uniform());
    s->bad = !isfinite(time);
    s->next = s->phase;
    s->next_time = time;
    return SET_TIME(s->instance, time);
}

static int set_states(Slot *s, int wild) {
    const size_t n = (size_t)states + (wild ? (size_t)below(2) : 0);
    s->bad = n != (size_t)states;
    double *x = room(s, n, sizeof *x, wild);
    if (x && n == (size_t)states && (int)GET_STATES(s->instance, x, n) != OK) {
        free(x);
        return ERROR;
    }
    int none = 0;
    for (size_t k = 0; x && k < n; ++k) {
        x[k] = wild ? strange() : x[k] + 1e-3 * uniform();
        none = none || !isfinite(x[k]);
    }
    const int status = SET_STATES(s->instance, x, n);
    if (none && status == OK) {
        fprintf(stderr, "a state that is no number was taken\n");
        exit(5);
    }
    free(x);
    return status;
}

static int keep(Slot *s, int wild) {
    Kept *k = kept_of(s, wild);
    const int none = wild && below(3) == 0;
    s->bad = s->bad || none;
    const int status = KEEP(s->instance, none ? NULL : &k->state);
    gone = NULL;
    if (status == OK) {
        k->phase = s->phase;
        k->time = s->time;
    }
    return status;
}

static int set_back(Slot *s, int wild) {
    Kept *k = kept_of(s, wild);
    void *state = wild && gone && below(2) ? gone : k->state;
    s->bad = s->bad || !state || state == gone;
    s->next = k->phase;
    s->next_time = k->time;
    return SET_BACK(s->instance, state);
}

static int let_go(Slot *s, int wild) {
    Kept *k = kept_of(s, wild);
    void *before = k->state;
    const int status = LET_GO(s->instance, wild && below(4) == 0 && !s->bad ? NULL : &k->state);
    gone = status == OK && before && !k->state ? before : NULL;
    return status;
}

static int to_bytes(Slot *s, int wild) {
    Kept *k = kept_of(s, wild);
    size_t size = 0;
    s->bad = s->bad || !k->state;
    int status = COUNT_BYTES(s->instance, k->state, &size);
    if (status == OK) {
        free(s->bytes);
        s->size = wild && below(2) ? size - 1 - (size_t)below((int)size - 1) : size;
        s->bad = s->size != size;
        s->bytes = malloc(s->size);
        memset(s->bytes, 0, s->size);
        status = TO_BYTES(s->instance, k->state, (void *)s->bytes, s->size);
        s->bytes_phase = k->phase;
        s->bytes_time = k->time;
        s->bytes_kind = status == OK ? s->kind : 0;
    }
    return status;
}

static int from_bytes(Slot *s, int wild) {
    Slot *other = &slots[below(SLOTS)];
    Kept *k = &s->kept[below(KEPT)];
    const int spoil = wild && other->size && below(2) ? 1 + below((int)other->size) : 0;
    if (spoil) {
        other->bytes[spoil - 1] ^= (unsigned char)(1 + below(255));
        other->bytes_kind = 0;
    }
    s->bad = other->bytes_kind != s->kind;
    const int status = FROM_BYTES(s->instance, (const void *)other->bytes, other->size, &k->state);
    gone = NULL;
    if (status == OK) {
        k->phase = other->bytes_phase;
        k->time = other->bytes_time;
    }
    return status;
}

static int slope(Slot *s, int wild, int adjoint) {
    const size_t rows = (size_t)below(5), columns = (size_t)below(5);
    const size_t seeds = adjoint ? rows : columns, results = adjoint ? columns : rows;
    const size_t wrong = SIZES && wild && below(3) == 0 ? 1 : 0;
    s->bad = wrong != 0 || !slopes;
    uint32_t *unknowns = some(s, rows, 1 + inputs + design + states, states, wild);
    const int by_input = inputs && below(2);
    uint32_t *knowns = some(s, columns, by_input ? 1 : 1 + inputs + design, by_input ? inputs : states, wild);
    double *seed_values = room(s, seeds + wrong, sizeof *seed_values, wild), *found = room(s, results, sizeof *found, wild);
    for (size_t k = 0; seed_values && k < seeds + wrong; ++k) {
        seed_values[k] = uniform();
    }
    const int status = (adjoint ? ADJOINT : DIRECTIONAL)(s->instance, unknowns, rows, knowns, columns, seed_values, seeds + wrong, found,
                                                         results);
    if (status == OK) {
        demand_numbers(found, results);
    }
    free(unknowns);
    free(knowns);
    free(seed_values);
    free(found);
    return status;
}

static int directional(Slot *s, int wild) {
    return slope(s, wild, 0);
}

static int adjoint(Slot *s, int wild) {
    return slope(s, wild, 1);
}

#endif
