/**
 * Unpacks a gzip file or a zip archive, some bytes at a time; other files pass as they are.
 *
 * Packed bytes may become a thousand times as many. So they are fed in small pieces, other work of
 * the event loop comes between them, and the output is counted.
 *
 * @since 0.1.0
 */
import { Effect, type Scope, Stream } from "effect"
import { createGunzip } from "node:zlib"
import { Limits } from "../../../domain/Limits.ts"
import { invalid, type Problem, problem } from "../../../domain/Problem.ts"
import { makeZipReader } from "./unzip.ts"

/** How an import was packed. */
export type Packing = "none" | "gzip" | "zip"

/** A reader of bytes; each method names their fault. */
interface Feed {
  readonly packing: Packing
  readonly add: (bytes: Uint8Array) => Effect.Effect<void, Problem>
  readonly end: Effect.Effect<void, Problem>
}

/** Takes bytes as they are unpacked. */
export type TakeBytes = (bytes: Uint8Array) => Effect.Effect<void, Problem>

const bytesPerPiece = 8_192

const damaged = (message: string): Problem =>
  invalid([{ pointer: "#", code: "malformed", message }])

const tooLarge = problem(
  "payload_too_large",
  `An import may have at most ${Limits.candleImportMaxBytes} bytes when it is unpacked.`
)

/** Bytes, until there are more than allowed. */
const counted = (take: TakeBytes, maxBytes: number): TakeBytes => {
  let total = 0
  return (bytes) => {
    total += bytes.length
    return total > maxBytes ? Effect.fail(tooLarge) : take(bytes)
  }
}

const inPieces = (bytes: Uint8Array, each: (piece: Uint8Array) => Effect.Effect<void, Problem>) =>
  Effect.gen(function* () {
    for (let from = 0; from < bytes.length; from += bytesPerPiece) {
      yield* each(bytes.subarray(from, from + bytesPerPiece))
      yield* Effect.yieldNow
    }
  })

const gzipFeed = (take: TakeBytes): Effect.Effect<Feed, never, Scope.Scope> =>
  Effect.gen(function* () {
    const gunzip = createGunzip()
    yield* Effect.addFinalizer(() => Effect.sync(() => gunzip.destroy()))
    let out: Array<Uint8Array> = []
    let failure: string | null = null
    gunzip.on("data", (bytes: Uint8Array) => out.push(bytes))
    gunzip.on("error", () => (failure ??= "The gzip file is damaged or cut off"))
    const drain = Effect.suspend(() => {
      const ready = out
      out = []
      const taken = Effect.forEach(ready, take, { discard: true })
      return failure === null ? taken : Effect.andThen(taken, Effect.fail(damaged(failure)))
    })
    // A piece that fails is never reported as written.
    const write = (bytes: Uint8Array) =>
      Effect.callback<void>((resume) => {
        if (failure !== null) return resume(Effect.void)
        const done = () => {
          gunzip.off("error", done)
          resume(Effect.void)
        }
        gunzip.once("error", done)
        gunzip.write(bytes, done)
      })
    const finish = Effect.callback<void>((resume) => {
      gunzip.once("end", () => resume(Effect.void))
      gunzip.once("error", () => resume(Effect.void))
      gunzip.end()
    })
    return {
      packing: "gzip",
      add: (bytes) => inPieces(bytes, (piece) => Effect.andThen(write(piece), drain)),
      end: Effect.suspend(() => (failure === null ? finish : Effect.void)).pipe(
        Effect.andThen(drain)
      )
    }
  })

const zipFeed = (take: TakeBytes, wanted: string | undefined): Feed => {
  let out: Array<Uint8Array> = []
  const reader = makeZipReader(wanted, (bytes) => void out.push(bytes.slice()))
  const drain = (failure: string | null) => {
    const ready = out
    out = []
    const taken = Effect.forEach(ready, take, { discard: true })
    return failure === null ? taken : Effect.fail(damaged(failure))
  }
  return {
    packing: "zip",
    add: (bytes) => inPieces(bytes, (piece) => drain(reader.add(piece))),
    end: Effect.suspend(() => drain(reader.end()))
  }
}

const beginsWith = (bytes: Uint8Array, magic: ReadonlyArray<number>): boolean =>
  magic.every((byte, at) => bytes[at] === byte)

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  if (one.length === 0) return other
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

const feedOf = (
  head: Uint8Array,
  take: TakeBytes,
  file: string | undefined
): Effect.Effect<Feed, never, Scope.Scope> => {
  if (beginsWith(head, [0x1f, 0x8b])) return gzipFeed(take)
  if (beginsWith(head, [0x50, 0x4b, 0x03, 0x04])) return Effect.succeed(zipFeed(take, file))
  return Effect.succeed({ packing: "none", add: take, end: Effect.void })
}

/**
 * Gives the bytes of a stream to `take`, unpacked where they are packed, and says how they were.
 *
 * @category combinators
 * @since 0.1.0
 */
export const unpackInto = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  take: TakeBytes,
  options: { readonly file?: string | undefined; readonly maxBytes?: number } = {}
): Effect.Effect<Packing, Problem | E> =>
  Effect.gen(function* () {
    const bounded = counted(take, options.maxBytes ?? Limits.candleImportMaxBytes)
    let head: Uint8Array = new Uint8Array(0)
    let feed: Feed | null = null
    const begin = Effect.suspend(() => feedOf(head, bounded, options.file)).pipe(
      Effect.tap((begun) => {
        feed = begun
        return begun.add(head)
      })
    )
    yield* Stream.runForEach(bytes, (chunk) =>
      Effect.suspend(() => {
        if (feed !== null) return feed.add(chunk)
        head = joined(head, chunk)
        // Four bytes show the kind of a file.
        return head.length < 4 ? Effect.void : Effect.asVoid(begin)
      })
    )
    const begun = feed ?? (yield* begin)
    yield* begun.end
    return begun.packing
  }).pipe(Effect.scoped)
