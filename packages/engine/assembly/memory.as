// Stands in the place of src/fast/kernels/memory.ts where kernels are built for WebAssembly.

@inline export function readDouble(address: i32): f64 {
  return load<f64>(<usize>address)
}

@inline export function writeDouble(address: i32, value: f64): void {
  store<f64>(<usize>address, value)
}

@inline export function readWord(address: i32): i32 {
  return load<i32>(<usize>address)
}

@inline export function writeWord(address: i32, value: i32): void {
  store<i32>(<usize>address, value)
}

@inline export function lowestBit(word: i32): i32 {
  return ctz<i32>(word)
}

@inline export function highestBit(word: i32): i32 {
  return 31 - clz<i32>(word)
}
