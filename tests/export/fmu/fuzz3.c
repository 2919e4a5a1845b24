/* Random calls of FMI 3.0; see fuzz.h. Which call is allowed where: sections 2.3, 3.2 and 4.2 of the standard. */
#include <stdbool.h>

#include "fmi3Functions.h"

#define SIZES 1
#define STATES_MAY_BE_SET 0
#define GET fmi3GetFloat64
#define SET fmi3SetFloat64
#define DIRECTIONAL fmi3GetDirectionalDerivative
#define ADJOINT fmi3GetAdjointDerivative
#define GET_INDICATORS fmi3GetEventIndicators
#define GET_STATES fmi3GetContinuousStates
#define SET_STATES fmi3SetContinuousStates
#define SET_TIME fmi3SetTime
#define KEEP fmi3GetFMUState
#define SET_BACK fmi3SetFMUState
#define LET_GO fmi3FreeFMUState
#define COUNT_BYTES fmi3SerializedFMUStateSize
#define TO_BYTES fmi3SerializeFMUState
#define FROM_BYTES fmi3DeserializeFMUState

#include "fuzz_calls.h"

#define ALIVE (INITIALISING | EVENT | CONTINUOUS | TERMINATED)

static void tell(void *environment, fmi3Status status, fmi3String category, fmi3String text) {
    message(environment, (int)status, category, text);
}

static void make(Slot *s) {
    const int kind = below(2) ? EXCHANGE : STEPS, wrong = below(12);
    memset(s->kept, 0, sizeof s->kept);
    s->kind = kind;
    s->phase = MADE;
    s->logging = below(4) > 0;
    s->time = 0.0;
    s->messages = 0;
    const char *name = wrong == 0 ? NULL : wrong == 1 ? " " : "x", *key = wrong == 2 ? NULL : wrong == 3 ? "{0}" : token;
    fmi3ValueReference reference = 0;
    if (kind == EXCHANGE) {
        s->instance = fmi3InstantiateModelExchange(name, key, NULL, false, s->logging, s, tell);
    } else {
        s->instance = fmi3InstantiateCoSimulation(name, key, NULL, false, s->logging, wrong == 4, false, &reference, wrong == 5, s, tell, NULL);
    }
    if ((s->instance != NULL) != (wrong > (kind == EXCHANGE ? 3 : 5)) || (!s->instance && !s->messages)) {
        fprintf(stderr, "instantiation %d\n", wrong);
        exit(3);
    }
}

static void drop(Slot *s) {
    if (s->instance && below(2)) {
        for (int k = 0; k < KEPT; ++k) {
            fmi3FreeFMUState(s->instance, &s->kept[k].state);
        }
    }
    fmi3FreeInstance(s->instance);
    memset(s->kept, 0, sizeof s->kept);
    s->instance = NULL;
}

static int enter_initialization(Slot *s, int wild) {
    double start = wild ? strange() : 0.0, stop = wild ? strange() : 1e6;
    const int stops = below(2);
    s->bad = !isfinite(start) || (stops && !(stop > start));
    s->next = INITIALISING;
    s->next_time = start;
    return fmi3EnterInitializationMode(s->instance, below(2), strange(), start, stops, stop);
}

static int exit_initialization(Slot *s, int wild) {
    (void)wild;
    s->next = s->kind == EXCHANGE ? EVENT : STEPPING;
    return fmi3ExitInitializationMode(s->instance);
}

MOVE(fmi3EnterEventMode, EVENT)
MOVE(fmi3EnterContinuousTimeMode, CONTINUOUS)
MOVE(fmi3EnterStepMode, STEPPING)
MOVE(fmi3Terminate, TERMINATED)
MOVE(fmi3Reset, MADE)
MOVE(fmi3EnterConfigurationMode, MADE)
MOVE(fmi3ExitConfigurationMode, MADE)

static int reset(Slot *s, int w) {
    s->next_time = 0.0;
    return call_fmi3Reset(s, w);
}

static int set_logging(Slot *s, int wild) {
    const char *categories[] = {"logStatusError", "logStatusDiscard", "no such", NULL};
    const int on = below(2);
    const size_t n = (size_t)below(3), from = wild ? (size_t)below(3) : 0;
    for (size_t k = from; k < from + n && k < 4; ++k) {
        s->bad = s->bad || k > 1;
    }
    const int wholly = n == 0 || (n == 2 && from == 0), before = s->logging;
    const int status = fmi3SetDebugLogging(s->instance, on, n, n ? categories + from : NULL);
    s->logging = status == OK && wholly ? on : s->logging;
    if (status == OK && !wholly) {
        fmi3SetDebugLogging(s->instance, before, 0, NULL);
    }
    return status;
}

static int get_states(Slot *s, int wild) {
    return vector(s, wild, (Vector)fmi3GetContinuousStates);
}

static int get_rates(Slot *s, int wild) {
    return vector(s, wild, (Vector)fmi3GetContinuousStateDerivatives);
}

static int get_nominals(Slot *s, int wild) {
    return vector(s, wild, (Vector)fmi3GetNominalsOfContinuousStates);
}

static int count_states(Slot *s, int wild) {
    size_t n = 0;
    s->bad = wild && below(2);
    const int status = fmi3GetNumberOfContinuousStates(s->instance, s->bad ? NULL : &n);
    if (status == OK && n != (size_t)states) {
        exit(6);
    }
    return status;
}

static int count_indicators(Slot *s, int wild) {
    size_t n = 1;
    s->bad = wild && below(2);
    return fmi3GetNumberOfEventIndicators(s->instance, s->bad ? NULL : &n);
}

static int completed_step(Slot *s, int wild) {
    bool enter = false, ends = false;
    return fmi3CompletedIntegratorStep(s->instance, below(2), wild && below(2) ? NULL : &enter, wild && below(2) ? NULL : &ends);
}

static int update(Slot *s, int wild) {
    bool again, ends, nominals, values, defined;
    double time = NAN;
    const int status = fmi3UpdateDiscreteStates(s->instance, wild && below(2) ? NULL : &again, &ends, &nominals, &values, &defined, &time);
    if (status == OK && defined && !isfinite(time)) {
        exit(6);
    }
    return status;
}

static int evaluate_discrete(Slot *s, int wild) {
    (void)wild;
    return fmi3EvaluateDiscreteStates(s->instance);
}

static int do_step(Slot *s, int wild) {
    bool event = true, ends = true, early = true;
    double last = NAN, step = wild ? strange() : 2e-3 * (1.0 + uniform()), from = wild && below(2) ? strange() : s->time, now;
    const uint32_t time = 0;
    if (below(20) == 0 || (wild && step > 0.01 && step < 1e6)) {
        step = 1e12;
    }
    s->bad = !(step > 0.0) || !isfinite(step) || !(fabs(from - s->time) <= 1e-9 * (1.0 + fabs(s->time)));
    s->next = STEPPING;
    s->next_time = from + step;
    const int status = fmi3DoStep(s->instance, from, step, below(2), &event, &ends, &early, &last);
    if (status == OK && (event || ends || early || last != s->next_time)) {
        exit(6);
    }
    if (status == DISCARD && ((int)fmi3GetFloat64(s->instance, &time, 1, &now, 1) != OK || now != s->time)) {
        fprintf(stderr, "a step that was not done moved the time from %.17g to %.17g\n", s->time, now);
        exit(6);
    }
    return status;
}

static int other_types(Slot *s, int wild) {
    const size_t n = wild ? 1 : 0;
    uint32_t reference = (uint32_t)below(variables);
    int32_t number = 0;
    bool flag = false;
    const char *text = "";
    fmi3Clock clock = false;
    s->bad = n > 0;
    switch (below(6)) {
    case 0: return fmi3GetInt32(s->instance, &reference, n, &number, n);
    case 1: return fmi3SetInt32(s->instance, &reference, n, &number, n);
    case 2: return fmi3GetBoolean(s->instance, &reference, n, &flag, n);
    case 3: return fmi3SetString(s->instance, &reference, n, &text, n);
    case 4: return fmi3GetClock(s->instance, &reference, n, &clock);
    default: return fmi3SetClock(s->instance, &reference, n, &clock);
    }
}

static const Operation operations[] = {
    {"enter initialization", BOTH, MADE, 1, 20, enter_initialization},
    {"exit initialization", BOTH, INITIALISING, 0, 20, exit_initialization},
    {"enter event mode", EXCHANGE, CONTINUOUS, 1, 3, call_fmi3EnterEventMode},
    {"enter continuous time", EXCHANGE, EVENT, 1, 20, call_fmi3EnterContinuousTimeMode},
    {"enter step mode", 0, 0, 0, 3, call_fmi3EnterStepMode},
    {"enter configuration", 0, 0, 0, 3, call_fmi3EnterConfigurationMode},
    {"exit configuration", 0, 0, 0, 3, call_fmi3ExitConfigurationMode},
    {"terminate", BOTH, EVENT | CONTINUOUS | STEPPING, 1, 1, call_fmi3Terminate},
    {"reset", BOTH, ANY, 1, 1, reset},
    {"set logging", BOTH, ANY, 1, 3, set_logging},
    {"get", BOTH, ANY, 0, 10, get},
    {"set", BOTH, MADE | INITIALISING | EVENT | CONTINUOUS | STEPPING, 1, 10, set},
    {"directional", BOTH, ALIVE | STEPPING, 0, 5, directional},
    {"adjoint", BOTH, ALIVE | STEPPING, 0, 5, adjoint},
    {"get states", EXCHANGE, ALIVE, 1, 3, get_states},
    {"get rates", EXCHANGE, ALIVE, 0, 10, get_rates},
    {"get nominals", EXCHANGE, ALIVE, 1, 3, get_nominals},
    {"get indicators", EXCHANGE, ALIVE, 1, 3, get_indicators},
    {"count states", EXCHANGE, ANY, 1, 3, count_states},
    {"count indicators", EXCHANGE, ANY, 1, 3, count_indicators},
    {"set time", EXCHANGE, EVENT | CONTINUOUS, 1, 10, set_time},
    {"set states", EXCHANGE, CONTINUOUS, 0, 20, set_states},
    {"completed step", EXCHANGE, CONTINUOUS, 0, 10, completed_step},
    {"update", EXCHANGE, EVENT, 0, 10, update},
    {"evaluate discrete", BOTH, INITIALISING | EVENT, 1, 3, evaluate_discrete},
    {"step", STEPS, STEPPING, 0, 20, do_step},
    {"keep", BOTH, ANY, 1, 3, keep},
    {"set back", BOTH, ANY, 1, 1, set_back},
    {"let go", BOTH, ANY, 1, 3, let_go},
    {"to bytes", BOTH, ANY, 1, 3, to_bytes},
    {"from bytes", BOTH, ANY, 1, 3, from_bytes},
    {"other types", BOTH, ANY, 1, 3, other_types},
};

int main(int count, char **words) {
    const long calls = read_words(count, words);
    fmi3Instance one = fmi3InstantiateModelExchange("one", token, NULL, false, false, NULL, NULL);
    for (int k = 0; k < variables; ++k) {
        const uint32_t reference = (uint32_t)k;
        if (!one || (int)fmi3GetFloat64(one, &reference, 1, first + k, 1) != OK) {
            return 2;
        }
    }
    fmi3FreeInstance(one);
    fmi3FreeInstance(NULL);
    if (strcmp(fmi3GetVersion(), "3.0") != 0 || (int)fmi3Terminate(NULL) != ERROR ||
        (int)fmi3DoStep(NULL, 0, 1, false, NULL, NULL, NULL, NULL) != ERROR) {
        return 3;
    }
    run(operations, (int)(sizeof operations / sizeof *operations), calls, TERMINATED, 1, make, drop);
    free(first);
    return 0;
}
