// Stands in the place of src/match/arithmetic.ts where kernels are built for WebAssembly.

@inline export function toDouble(value: i32): f64 {
  return <f64>value
}

@inline export function magnitude(value: f64): f64 {
  return abs<f64>(value)
}

// Without a branch: which one is less is often a matter of chance.
@inline export function lesser(one: f64, other: f64): f64 {
  return f64x2.extract_lane(f64x2.pmin(f64x2.splat(one), f64x2.splat(other)), 0)
}

@inline export function greater(one: f64, other: f64): f64 {
  return f64x2.extract_lane(f64x2.pmax(f64x2.splat(one), f64x2.splat(other)), 0)
}

// V8 makes a branch of `select` between doubles, and none of one between bits.
@inline export function chosen(isFirst: bool, one: f64, other: f64): f64 {
  const mask = i64x2.splat(-(<i64>isFirst))
  return f64x2.extract_lane(v128.bitselect(f64x2.splat(one), f64x2.splat(other), mask), 0)
}

@inline export function roundHalfUp(value: f64): f64 {
  return Math.round(value)
}

@inline export function roundDown(value: f64): f64 {
  return floor<f64>(value)
}
