"""The test driver of a controller: recorded samples, and the commands that the interpreter makes of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gough.backends._cfamily import wrap_entries
from gough.backends.c._stepped import SteppedFrame


@dataclass(frozen=True, eq=False)
class Recording:
    """inputs: {name: (n, size)} of samples one after the other; commands (n, drives); tolerance: of a command."""

    inputs: Mapping[str, np.ndarray]
    commands: np.ndarray
    tolerance: float


def stepped_driver(name: str, frame: SteppedFrame, recording: Recording) -> str:
    """Text of NAME_test.c: main returns 0 where all steps give the recorded commands, 1 where one does not. With a number n as
    its argument it also prints the time of a step, on average over n of them."""
    real, n = frame.real, len(recording.commands)
    lines = [
        f"/* Compares {name} with recorded commands; returns 0 where all agree. With a number n as its argument it also prints",
        "   the time of a step, on average over n of them.",
        f"   cc -std=c99 -O2 {name}.c {name}_test.c -lm && ./a.out */",
        f'#include "{name}.h"',
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "#include <time.h>",
        "",
        f"enum {{ SAMPLES = {n} }};",
        "",
    ]
    for word in frame.inputs:
        lines += _table(f"{word}_given", recording.inputs[word], frame)
    lines += _table("commands", recording.commands, frame)
    calls = [f"{word}_given[i]" for word in frame.inputs]
    step = f"{name}_step({', '.join(['&state', *calls, 'command'])})"
    lines += [
        "int main(int argc, char **argv) {",
        f"    {name}_state state;",
        f"    {real} command[{frame.commands}];",
        "    int wrong = 0;",
        "    double worst = 0.0;",
        f"    {name}_init(&state);",
        "    for (int i = 0; i < SAMPLES; ++i) {",
        f"        const uint64_t status = {step};",
        "        if (status != 0U) {",
        "            ++wrong;",
        f"            for (int k = 0; k < {name.upper()}_CHECKS; ++k) {{",
        "                if (((status >> k) & 1U) != 0U) {",
        f'                    printf("sample %d: %s\\n", i, {name}_check_names[k]);',
        "                }",
        "            }",
        "        }",
        f"        for (int k = 0; k < {frame.commands}; ++k) {{",
        f"            const double off = fabs((double)command[k] - (double)commands[i][k]) / {recording.tolerance!r};",
        "            wrong += !(off <= 1.0);",
        "            worst = off > worst ? off : worst;",
        "        }",
        "    }",
        f'    printf("{name}: %d samples, %d wrong, largest difference %.3g of its tolerance\\n", SAMPLES, wrong, worst);',
        "    if (argc > 1) {",
        "        const long steps = atol(argv[1]);",
        "        double sum = 0.0;",
        f"        {name}_init(&state);",
        "        const clock_t start = clock();",
        "        for (long j = 0; j < steps; ++j) {",
        "            const int i = (int)(j % SAMPLES);",
        f"            sum += (double){step};",
        "        }",
        "        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;",
        '        printf("%.1f ns a step%s\\n", 1e9 * seconds / (double)steps, sum > 0.0 ? ", some flagged" : "");',
        "    }",
        "    return wrong != 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _table(word: str, values: np.ndarray, frame: SteppedFrame) -> list[str]:
    lines = [f"static const {frame.real} {word}[{len(values)}][{values.shape[1]}] = {{"]
    for row in values:
        lines += ["    {", *wrap_entries([frame.number(float(x)) for x in row]), "    },"]
    return [*lines, "};", ""]
