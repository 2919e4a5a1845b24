/* An importer that knows the standard's headers alone. Arguments: library, token, reference of an input, of an output. Prints the output
   after 0.5 s of Co-Simulation, then the sum of the state derivatives of Model Exchange at the begin. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi3FunctionTypes.h"

static void *library;

static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(2);
    }
    return found;
}

#define FUNCTION(name) name##TYPE *name = (name##TYPE *)function(#name)

static void tell(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    (void)environment;
    fprintf(stderr, "%d %s: %s\n", (int)status, category, message);
}

static void demand(fmi3Status status) {
    if (status != fmi3OK) {
        exit(3);
    }
}

int main(int count, char **words) {
    if (count < 5 || !(library = dlopen(words[1], RTLD_NOW))) {
        return 2;
    }
    FUNCTION(fmi3InstantiateCoSimulation);
    FUNCTION(fmi3InstantiateModelExchange);
    FUNCTION(fmi3EnterInitializationMode);
    FUNCTION(fmi3ExitInitializationMode);
    FUNCTION(fmi3SetFloat64);
    FUNCTION(fmi3GetFloat64);
    FUNCTION(fmi3DoStep);
    FUNCTION(fmi3EnterContinuousTimeMode);
    FUNCTION(fmi3GetNumberOfContinuousStates);
    FUNCTION(fmi3GetContinuousStateDerivatives);
    FUNCTION(fmi3FreeInstance);
    const fmi3ValueReference input = (fmi3ValueReference)atoi(words[3]), output = (fmi3ValueReference)atoi(words[4]);
    fmi3Float64 force = 0.3, value = 0.0, rates[100], sum = 0.0, last;
    fmi3Boolean events, ends, early;
    fmi3Instance steps = fmi3InstantiateCoSimulation("steps", words[2], NULL, false, true, false, false, NULL, 0, NULL, tell, NULL);
    fmi3Instance exchange = fmi3InstantiateModelExchange("exchange", words[2], NULL, false, true, NULL, tell);
    demand(fmi3EnterInitializationMode(steps, false, 0.0, 0.0, false, 0.0));
    demand(fmi3SetFloat64(steps, &input, 1, &force, 1));
    demand(fmi3ExitInitializationMode(steps));
    for (int k = 0; k < 50; ++k) {
        demand(fmi3DoStep(steps, 0.01 * k, 0.01, false, &events, &ends, &early, &last));
    }
    demand(fmi3GetFloat64(steps, &output, 1, &value, 1));
    demand(fmi3EnterInitializationMode(exchange, false, 0.0, 0.0, false, 0.0));
    demand(fmi3SetFloat64(exchange, &input, 1, &force, 1));
    demand(fmi3ExitInitializationMode(exchange));
    demand(fmi3EnterContinuousTimeMode(exchange));
    size_t n;
    demand(fmi3GetNumberOfContinuousStates(exchange, &n));
    demand(fmi3GetContinuousStateDerivatives(exchange, rates, n));
    for (size_t k = 0; k < n; ++k) {
        sum += rates[k];
    }
    printf("%.17g %.17g\n", value, sum);
    fmi3FreeInstance(steps);
    fmi3FreeInstance(exchange);
    return 0;
}
