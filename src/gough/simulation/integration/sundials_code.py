"""Machine code between CVODE and a program of rates: what CVODE calls, and a loop of its steps."""

import ctypes
from functools import cache
from typing import Any

from gough.compilation.service import load_ir

GET_ARRAY, MARCH, STATE, BYTES, GIVEN, STATUS, TABLE = range(7)
"""Entries of what `rates` is given, words of 8 bytes: addresses of N_VGetArrayPointer and of the program as a time loop, of room
for its state (y, then t), the size of y in bytes, addresses of its given row, its status and its table."""
ONE_STEP = 2
"""CVODE's word for: return after every step."""

_IR = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define i32 @rates(double %t, ptr %y, ptr %ydot, ptr %data) {{
  %get = load ptr, ptr %data
{{loads}}
  %from = call ptr %get(ptr %y)
  %to = call ptr %get(ptr %ydot)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %state, ptr align 8 %from, i64 %bytes, i1 false)
  %time = getelementptr i8, ptr %state, i64 %bytes
  store double %t, ptr %time
  store i64 0, ptr %status
  %failed = getelementptr i64, ptr %status, i64 1
  store i64 -1, ptr %failed
  call i64 %march(ptr %state, ptr %state, ptr %given, ptr %to, ptr %status, i64 1, i64 1, i64 1, i64 0, ptr %table)
  %turn = load i64, ptr %failed
  %bad = icmp sge i64 %turn, 0
  %word = zext i1 %bad to i32
  ret i32 %word
}}

define i64 @steps(
  ptr %cvode, ptr %mem, double %end, ptr %vector, ptr %y, i64 %bytes, ptr %times, ptr %rows, i64 %most, ptr %flag
) {{
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %good ]
  %more = icmp slt i64 %k, %most
  br i1 %more, label %turn, label %done
turn:
  %at = getelementptr double, ptr %times, i64 %k
  %f = call i32 %cvode(ptr %mem, double %end, ptr %vector, ptr %at, i32 {ONE_STEP})
  store i32 %f, ptr %flag
  %bad = icmp slt i32 %f, 0
  br i1 %bad, label %done, label %good
good:
  %offset = mul i64 %k, %bytes
  %to = getelementptr i8, ptr %rows, i64 %offset
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %y, i64 %bytes, i1 false)
  %next = add i64 %k, 1
  %over = icmp ne i32 %f, 0
  br i1 %over, label %ended, label %head
ended:
  ret i64 %next
done:
  ret i64 %k
}}
"""
_LOADED = {"march": MARCH, "state": STATE, "bytes": BYTES, "given": GIVEN, "status": STATUS, "table": TABLE}


class CvodeCode:
    """rates: address of CVODE's right-hand side. steps: takes CVODE's steps until the end or `most`, rows (most, n) of states and
    times (most,); returns how many, and CVODE's last flag."""

    def __init__(self) -> None:
        loads = []
        for name, k in _LOADED.items():
            loads.append(f"  %at.{name} = getelementptr i64, ptr %data, i64 {k}")
            loads.append(f"  %{name} = load {'i64' if name == 'bytes' else 'ptr'}, ptr %at.{name}")
        self._object = load_ir(_IR.replace("{loads}", "\n".join(loads)))
        p, i = ctypes.c_void_p, ctypes.c_int64
        signature = ctypes.CFUNCTYPE(i, p, p, ctypes.c_double, p, p, i, p, p, i, p)
        self.rates: int = self._object.address("rates")
        self.steps: Any = signature(self._object.address("steps"))


@cache
def code() -> CvodeCode:
    """Compiled once."""
    return CvodeCode()
