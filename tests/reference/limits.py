"""Inner limits that tests turn, so that small cases take the way of large ones; each is named once, here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

PLACES: dict[str, tuple[str, ...]] = {
    "alpha_large": ("gough.simulation.integration.methods.generalised_alpha.LARGE",),
    "browser_end_s": ("gough.viewer.takeaway.pictures.END_WITHIN",),
    "cache_bytes": ("gough.backends.llvm.store.LARGEST_CACHE",),
    "cuda_cheap": ("gough.backends.cuda._kernel.CHEAP",),
    "cuda_long": ("gough.backends.cuda.march.LONG",),
    "cuda_most_once": ("gough.backends.cuda.staged.MOST_ONCE",),
    "cuda_most_sums": ("gough.backends.cuda.staged._planning.MOST_SUMS",),
    "cuda_part": tuple(f"gough.backends.cuda.staged{name}.PART" for name in ("", "._planning", "._text")),
    "cuda_scratch_bytes": ("gough.backends.cuda._memory.LARGEST_BLOCK",),
    "cuda_staged_bytes": ("gough.backends.cuda.staged.LARGEST_BLOCK",),
    "cuda_straight": ("gough.backends.cuda._kernel.STRAIGHT",),
    "cuda_table": ("gough.backends.cuda.march._text.LARGEST_TABLE", "gough.backends.cuda.march.LARGEST_TABLE"),
    "cuda_threads": ("gough.backends.cuda._kernel.THREADS",),
    "cvode_drift": ("gough.simulation.integration.methods.cvode.DRIFT",),
    "design_every_s": ("gough.cli.design.EVERY",),
    "design_run": ("gough.compilation.designs.LEAST_RUN",),
    "design_work": ("gough.backends.llvm._design_runs.evaluate_nodes",),
    "dense_modes": ("gough.fem._sparse.SMALL",),
    "elastic_fewest": ("gough.dynamics.mass_matrix.FEWEST",),
    "eval_chunk": ("gough.cli.evaluate.CHUNK",),
    "equations_alone": ("gough.identification.estimation.rows.ALONE",),
    "equations_kept": ("gough.identification.estimation.rows.KEPT",),
    "growth_batch": ("gough_bench.growth.BATCH",),
    "growth_series": ("gough_bench.growth.SERIES",),
    "growth_states": ("gough_bench.growth.STATES",),
    "iterations": ("gough.kinematics.leading.follow", "gough.kinematics._leg_newton._solve_leg"),
    "loop_called": ("gough.program.looping.LEAST_CALLED",),
    "loop_least": ("gough.program.looping.LEAST",),
    "loop_straight": ("gough.program.looping.STRAIGHT",),
    "lopes_samples": ("gough_papers.lopes.paper.SAMPLES",),
    "march_fewest": ("gough.simulation.integration.marching.FEWEST",),
    "march_most": ("gough.simulation.integration.marching.MOST",),
    "motion_pieces": ("gough.simulation.motion.table.MOST_PIECES",),
    "margin_figure": ("gough.simulation.loops.margin_map.write_figure",),
    "newton_columns": ("gough.simulation.integration._newton.LARGE",),
    "passage_left": ("gough.simulation.integration._passage.LEFT",),
    "passage_most": ("gough.simulation.integration._passage.MOST",),
    "python_entries": ("gough.backends.llvm._kernel.layout_holds",),
    "rolled_smallest": ("gough.backends.llvm.store.SMALLEST",),
    "slaved_worth": ("gough.dynamics.stiffened.WORTH",),
    "screen_numbers": ("gough.studies.screening.screen.Screen.evaluate",),
    "study_chunk": ("gough.studies._chunks.CHUNK",),
    "study_designs": ("gough.studies.study.evaluation.Evaluator._of_designs",),
    "study_front": ("gough.studies._pareto.MOST",),
    "study_over": ("gough.distribution.chunks.is_over",),
    "study_packages": ("gough.studies._search.find_spec",),
    "study_points": ("gough.studies.study.evaluation.Evaluator.evaluate",),
    "study_screen": ("gough.studies._running.choose_screen",),
    "study_machine": ("gough.studies._chunks.HostMachine",),
    "study_slopes": ("gough.studies.study.evaluation.Evaluator.states_at",),
    "survey_chunk": ("gough.analysis.workspace.survey.CHUNK",),
    "text_least": ("gough.backends.c._looping.LEAST",),
    "text_long": ("gough.backends.c.LONG",),
    "text_margin": ("gough.backends.c._looping.MARGIN",),
    "text_part": ("gough.backends.c._parts.PART",),
    "tree_at_once": ("gough.dynamics.forward.AT_ONCE", "gough.dynamics.forward.AS_LOOPS"),
    "vibration_chunk": ("gough.analysis.vibration_map.CHUNK",),
    "vibration_rest": ("gough.analysis.vibration_map.static_equilibrium",),
}


def turn_limits(patch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`turn(name=value, …)` until the test ends."""

    def turn(**values: Any) -> None:
        for name, value in values.items():
            for place in PLACES[name]:
                patch.setattr(place, value)

    return turn
