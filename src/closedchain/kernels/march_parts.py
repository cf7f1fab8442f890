"""LLVM IR of what a march's loop calls besides its programs: sums of stages, the worst so far, what is not finite."""

from __future__ import annotations

LANES = 4  # these run over vectors of this many; arrays are filled up to them

COMBINE = """
define internal void @combine(ptr %out, ptr %base, ptr %rows, ptr %weights, i64 %count, double %h) #0 {{
entry:
  br label %lane
lane:
  %k = phi i64 [0, %entry], [%k1, %store]
  %from = getelementptr double, ptr %base, i64 %k
  %start = load <{lanes} x double>, ptr %from, align 8
  br label %add
add:
  %j = phi i64 [0, %lane], [%j1, %add]
  %sum = phi <{lanes} x double> [%start, %lane], [%more, %add]
  %at = getelementptr double, ptr %weights, i64 %j
  %weight = load double, ptr %at
  %share = fmul double %h, %weight
  %one = insertelement <{lanes} x double> poison, double %share, i32 0
  %all = shufflevector <{lanes} x double> %one, <{lanes} x double> poison, <{lanes} x i32> zeroinitializer
  %far = mul i64 %j, {n}
  %place = add i64 %far, %k
  %slope.at = getelementptr double, ptr %rows, i64 %place
  %slope = load <{lanes} x double>, ptr %slope.at, align 8
  %part = fmul <{lanes} x double> %all, %slope
  %more = fadd <{lanes} x double> %sum, %part
  %j1 = add i64 %j, 1
  %again = icmp ult i64 %j1, %count
  br i1 %again, label %add, label %store
store:
  %to = getelementptr double, ptr %out, i64 %k
  store <{lanes} x double> %more, ptr %to, align 8
  %k1 = add i64 %k, {lanes}
  %further = icmp ult i64 %k1, {n}
  br i1 %further, label %lane, label %exit
exit:
  ret void
}}
"""
LESSER = """
define internal void @lesser(ptr %kept, ptr %new, double %sense) #0 {
  %old = load double, ptr %kept
  %value = load double, ptr %new
  %a = fmul double %old, %sense
  %b = fmul double %value, %sense
  %worse = fcmp olt double %b, %a
  %worst = select i1 %worse, double %value, double %old
  store double %worst, ptr %kept
  ret void
}
"""
DEFECT = """
declare double @llvm.vector.reduce.fadd.v{lanes}f64(double, <{lanes} x double>)
define internal double @defect(ptr %from, i64 %count) #0 {{
entry:
  br label %next
next:
  %k = phi i64 [0, %entry], [%k1, %next]
  %sum = phi <{lanes} x double> [zeroinitializer, %entry], [%more, %next]
  %at = getelementptr double, ptr %from, i64 %k
  %x = load <{lanes} x double>, ptr %at, align 8
  %zero = fsub <{lanes} x double> %x, %x
  %more = fadd <{lanes} x double> %sum, %zero
  %k1 = add i64 %k, {lanes}
  %again = icmp ult i64 %k1, %count
  br i1 %again, label %next, label %exit
exit:
  %all = call double @llvm.vector.reduce.fadd.v{lanes}f64(double 0.0, <{lanes} x double> %more)
  ret double %all
}}
"""
