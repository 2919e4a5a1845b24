/* Random calls of FMI 2.0; see fuzz.h. Which call is allowed where: the tables of sections 3.2.3 and 4.2.4 of the standard. */
#include <stdarg.h>

#include "fmi2Functions.h"

#define SIZES 0
#define STATES_MAY_BE_SET 1
#define GET(instance, references, n, values, size) fmi2GetReal(instance, references, n, values)
#define SET(instance, references, n, values, size) fmi2SetReal(instance, references, n, values)
#define DIRECTIONAL directional2
#define ADJOINT directional2
#define GET_INDICATORS fmi2GetEventIndicators
#define GET_STATES fmi2GetContinuousStates
#define SET_STATES fmi2SetContinuousStates
#define SET_TIME fmi2SetTime
#define KEEP fmi2GetFMUstate
#define SET_BACK fmi2SetFMUstate
#define LET_GO fmi2FreeFMUstate
#define COUNT_BYTES fmi2SerializedFMUstateSize
#define TO_BYTES fmi2SerializeFMUstate
#define FROM_BYTES fmi2DeSerializeFMUstate

static int directional2(void *instance, const unsigned *unknowns, size_t rows, const unsigned *knowns, size_t columns, const double *seeds,
                        size_t sizes, double *found, size_t results) {
    (void)sizes;
    (void)results;
    return fmi2GetDirectionalDerivative(instance, unknowns, rows, knowns, columns, seeds, found);
}

#include "fuzz_calls.h"

#define LOOKING (INITIALISING | EVENT | CONTINUOUS | TERMINATED | BROKEN)
#define GETTING (LOOKING | STEPPING | STEP_FAILED)
#define AFTER_STEP (STEPPING | STEP_FAILED | TERMINATED)

static long owned;
static fmi2CallbackFunctions callbacks[SLOTS];

static void tell(void *environment, fmi2String instance, fmi2Status status, fmi2String category, fmi2String format, ...) {
    char text[2000];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (!instance) {
        exit(4);
    }
    message(environment, (int)status, category, text);
}

static void *own_calloc(size_t n, size_t size) {
    ++owned;
    return calloc(n, size);
}

static void own_free(void *memory) {
    owned -= memory != NULL;
    free(memory);
}

static void make(Slot *s) {
    const int kind = below(2) ? EXCHANGE : STEPS, wrong = below(12);
    const fmi2CallbackFunctions own = {tell, below(2) ? own_calloc : NULL, own_free, NULL, s};
    fmi2CallbackFunctions *given = &callbacks[s - slots];
    memcpy(given, &own, sizeof own);
    memset(s->kept, 0, sizeof s->kept);
    s->kind = kind;
    s->phase = MADE;
    s->logging = below(4) > 0;
    s->time = 0.0;
    s->messages = 0;
    const char *name = wrong == 0 ? NULL : wrong == 1 ? "" : "x", *key = wrong == 2 ? NULL : wrong == 3 ? "{0}" : token;
    const int type = wrong == 4 ? 7 : kind == EXCHANGE ? fmi2ModelExchange : fmi2CoSimulation;
    s->instance = fmi2Instantiate(name, (fmi2Type)type, key, NULL, wrong == 5 ? NULL : given, 0, s->logging);
    if ((s->instance != NULL) != (wrong > 5) || (wrong < 5 && !s->messages)) {
        fprintf(stderr, "instantiation %d\n", wrong);
        exit(3);
    }
}

static void drop(Slot *s) {
    if (s->instance && below(2)) {
        for (int k = 0; k < KEPT; ++k) {
            fmi2FreeFMUstate(s->instance, &s->kept[k].state);
        }
    }
    fmi2FreeInstance(s->instance);
    memset(s->kept, 0, sizeof s->kept);
    s->instance = NULL;
}

static int setup(Slot *s, int wild) {
    const double start = wild ? strange() : 0.0, stop = wild ? strange() : 1e6;
    const int stops = below(2);
    s->bad = !isfinite(start) || (stops && !(stop > start));
    s->next = MADE;
    s->next_time = start;
    return fmi2SetupExperiment(s->instance, below(2), strange(), start, stops, stop);
}

static int exit_initialization(Slot *s, int wild) {
    (void)wild;
    s->next = s->kind == EXCHANGE ? EVENT : STEPPING;
    return fmi2ExitInitializationMode(s->instance);
}

MOVE(fmi2EnterInitializationMode, INITIALISING)
MOVE(fmi2EnterEventMode, EVENT)
MOVE(fmi2EnterContinuousTimeMode, CONTINUOUS)
MOVE(fmi2Terminate, TERMINATED)
MOVE(fmi2Reset, MADE)

static int reset(Slot *s, int w) {
    s->next_time = 0.0;
    return call_fmi2Reset(s, w);
}

static int get_states(Slot *s, int wild) {
    return vector(s, wild, (Vector)fmi2GetContinuousStates);
}

static int get_rates(Slot *s, int wild) {
    return vector(s, wild, (Vector)fmi2GetDerivatives);
}

static int get_nominals(Slot *s, int wild) {
    return vector(s, wild, (Vector)fmi2GetNominalsOfContinuousStates);
}

static int completed_step(Slot *s, int wild) {
    int enter = 0, ends = 0;
    return fmi2CompletedIntegratorStep(s->instance, below(2), wild && below(2) ? NULL : &enter, wild && below(2) ? NULL : &ends);
}

static int new_discrete_states(Slot *s, int wild) {
    fmi2EventInfo info = {1, 1, 1, 1, 1, NAN};
    s->bad = wild && below(2);
    const int status = fmi2NewDiscreteStates(s->instance, s->bad ? NULL : &info);
    if (status == OK && (info.newDiscreteStatesNeeded || info.terminateSimulation || !isfinite(info.nextEventTime))) {
        exit(6);
    }
    return status;
}

static int do_step(Slot *s, int wild) {
    double step = wild ? strange() : 2e-3 * (1.0 + uniform()), from = wild && below(2) ? strange() : s->time, last = NAN;
    if (below(20) == 0 || (wild && step > 0.01 && step < 1e6)) {
        step = 1e12;
    }
    s->bad = !(step > 0.0) || !isfinite(step) || !(fabs(from - s->time) <= 1e-9 * (1.0 + fabs(s->time)));
    s->next = STEPPING;
    s->next_time = from + step;
    const int status = fmi2DoStep(s->instance, from, step, below(2));
    if (status == DISCARD) {
        if ((int)fmi2GetRealStatus(s->instance, fmi2LastSuccessfulTime, &last) != OK || !(last >= s->time) || !(last <= from + step)) {
            exit(6);
        }
        s->fallen = STEP_FAILED;
        s->fallen_time = last;
    }
    return status;
}

static int step_status(Slot *s, int wild) {
    int number = 0;
    double value = 0.0;
    const char *text = NULL;
    s->bad = wild && below(2);
    switch (below(3)) {
    case 0: return fmi2GetRealStatus(s->instance, fmi2LastSuccessfulTime, s->bad ? NULL : &value);
    case 1: return fmi2GetBooleanStatus(s->instance, fmi2Terminated, s->bad ? NULL : &number);
    default: s->bad = 0; return fmi2GetStringStatus(s->instance, fmi2PendingStatus, wild ? NULL : &text);
    }
}

static int cancel(Slot *s, int wild) {
    (void)wild;
    return fmi2CancelStep(s->instance);
}

static int input_slopes(Slot *s, int wild) {
    const unsigned reference = 1;
    const int order = 1;
    const double value = 0.0;
    s->bad = wild;
    return fmi2SetRealInputDerivatives(s->instance, &reference, (size_t)wild, &order, &value);
}

static int get_others(Slot *s, int wild) {
    const unsigned reference = 1;
    int number = 0;
    const char *text = NULL;
    s->bad = wild;
    switch (below(3)) {
    case 0: return fmi2GetInteger(s->instance, &reference, (size_t)wild, &number);
    case 1: return fmi2GetBoolean(s->instance, &reference, (size_t)wild, &number);
    default: return fmi2GetString(s->instance, &reference, (size_t)wild, &text);
    }
}

static int set_others(Slot *s, int wild) {
    const unsigned reference = 1;
    const int number = 0;
    const char *text = "";
    s->bad = wild;
    switch (below(3)) {
    case 0: return fmi2SetInteger(s->instance, &reference, (size_t)wild, &number);
    case 1: return fmi2SetBoolean(s->instance, &reference, (size_t)wild, &number);
    default: return fmi2SetString(s->instance, &reference, (size_t)wild, &text);
    }
}

static const Operation operations[] = {
    {"setup", BOTH, MADE, 1, 10, setup},
    {"enter initialization", BOTH, MADE, 1, 20, call_fmi2EnterInitializationMode},
    {"exit initialization", BOTH, INITIALISING, 0, 20, exit_initialization},
    {"enter event mode", EXCHANGE, EVENT | CONTINUOUS, 1, 3, call_fmi2EnterEventMode},
    {"enter continuous time", EXCHANGE, EVENT, 1, 20, call_fmi2EnterContinuousTimeMode},
    {"terminate", BOTH, EVENT | CONTINUOUS | STEPPING | STEP_FAILED, 1, 1, call_fmi2Terminate},
    {"reset", BOTH, ANY, 1, 1, reset},
    {"get", BOTH, GETTING, 0, 10, get},
    {"set", BOTH, MADE | INITIALISING | EVENT | CONTINUOUS | STEPPING, 1, 10, set},
    {"directional", BOTH, GETTING, 0, 5, directional},
    {"get states", EXCHANGE, LOOKING, 1, 3, get_states},
    {"get rates", EXCHANGE, LOOKING, 0, 10, get_rates},
    {"get nominals", EXCHANGE, MADE | LOOKING, 1, 3, get_nominals},
    {"get indicators", EXCHANGE, LOOKING, 1, 3, get_indicators},
    {"set time", EXCHANGE, EVENT | CONTINUOUS, 1, 10, set_time},
    {"set states", EXCHANGE, CONTINUOUS, 0, 20, set_states},
    {"completed step", EXCHANGE, CONTINUOUS, 0, 10, completed_step},
    {"new discrete states", EXCHANGE, EVENT, 0, 10, new_discrete_states},
    {"step", STEPS, STEPPING, 0, 20, do_step},
    {"status of a step", STEPS, AFTER_STEP, 0, 3, step_status},
    {"cancel", 0, 0, 0, 3, cancel},
    {"input derivatives", STEPS, MADE | INITIALISING | STEPPING, 1, 3, input_slopes},
    {"get others", BOTH, GETTING, 1, 3, get_others},
    {"set others", BOTH, MADE | INITIALISING | EVENT | STEPPING, 1, 3, set_others},
    {"keep", BOTH, ANY, 1, 3, keep},
    {"set back", BOTH, ANY, 1, 1, set_back},
    {"let go", BOTH, ANY, 1, 3, let_go},
    {"to bytes", BOTH, ANY, 1, 3, to_bytes},
    {"from bytes", BOTH, ANY, 1, 3, from_bytes},
};

int main(int count, char **words) {
    const long calls = read_words(count, words);
    const fmi2CallbackFunctions none = {NULL, NULL, NULL, NULL, NULL};
    fmi2Component one = fmi2Instantiate("one", fmi2CoSimulation, token, NULL, &none, 0, 0);
    if (!one || (int)fmi2EnterInitializationMode(one) != OK) {
        return 2;
    }
    for (int k = 1; k < variables; ++k) {
        const unsigned reference = (unsigned)k;
        if ((int)fmi2GetReal(one, &reference, 1, first + k) != OK) {
            return 2;
        }
    }
    fmi2FreeInstance(one);
    fmi2FreeInstance(NULL);
    if (strcmp(fmi2GetVersion(), "2.0") != 0 || (int)fmi2Terminate(NULL) != ERROR || (int)fmi2DoStep(NULL, 0, 1, 0) != ERROR) {
        return 3;
    }
    run(operations, (int)(sizeof operations / sizeof *operations), calls, BROKEN, 0, make, drop);
    free(first);
    return owned ? 7 : 0;
}
