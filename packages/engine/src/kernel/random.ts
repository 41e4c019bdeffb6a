/**
 * A seeded generator of random numbers: the only randomness of the engine.
 *
 * xoshiro128** seeded through splitmix32. Forks depend on the seed and on their label alone, never
 * on the number of earlier draws. Trial 17 is the same with one worker and with five.
 *
 * @since 0.1.0
 */
import { xoshiro128 } from "./xoshiro128.ts"

/** A stream of random numbers. @category models @since 0.1.0 */
export interface Random {
  /** A number in [0, 1). */
  readonly next: () => number
  /** A whole number from `minimum` to `maximum`, both included. */
  readonly integer: (minimum: number, maximum: number) => number
  /** One of the items, which must not be empty. */
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** A number with normal distribution, mean 0 and deviation 1. */
  readonly normal: () => number
  /** A stream of its own for this label. */
  readonly fork: (label: string | number) => Random
}

const hashText = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** Makes a stream; equal seeds give equal streams. @category models @since 0.1.0 */
export const makeRandom = (seed: string | number): Random => {
  const text = String(seed)
  let mix = hashText(text) ^ Math.imul(text.length, 0x9e3779b9)
  const splitmix = (): number => {
    mix = (mix + 0x9e3779b9) | 0
    let value = mix ^ (mix >>> 16)
    value = Math.imul(value, 0x21f0aaad)
    value ^= value >>> 15
    value = Math.imul(value, 0x735a2d97)
    return (value ^ (value >>> 15)) >>> 0
  }
  const a = splitmix()
  // A second hash, so that streams with colliding first hashes differ.
  mix ^= hashText(`${text}\u0000${text}`)
  const bits = xoshiro128([a, splitmix(), splitmix(), splitmix() | 1])
  const next = () => (bits() * 2097152 + (bits() >>> 11)) / 9007199254740992
  return {
    next,
    integer: (minimum, maximum) => minimum + Math.floor(next() * (maximum - minimum + 1)),
    pick: (items) => items[Math.floor(next() * items.length)]!,
    normal: () => {
      const radius = Math.sqrt(-2 * Math.log(1 - next()))
      return radius * Math.cos(2 * Math.PI * next())
    },
    fork: (label) => makeRandom(`${text}/${label}`)
  }
}
