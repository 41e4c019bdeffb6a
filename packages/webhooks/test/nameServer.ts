/**
 * A name server on loopback that knows a few names and never answers about others.
 *
 * @since 0.1.0
 */
import { createSocket } from "node:dgram"
import { Effect } from "effect"

const typeA = 1
const typeCname = 5
const headerBytes = 12

/** The name that is asked for, and where the question ends. */
const questionOf = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: Array<string> = []
  let at = headerBytes
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5 }
}

/** A record of the internet's class that may be kept for a second. */
const record = (name: Buffer, type: number, data: Buffer): Buffer => {
  const fields = Buffer.alloc(10)
  for (const [at, word] of [type, 1, 0, 1, data.length].entries())
    fields.writeUInt16BE(word, 2 * at)
  return Buffer.concat([name, fields, data])
}

const written = (name: string): Buffer =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0])
  ])

const answerTo = (
  query: Buffer,
  end: number,
  alias: string | undefined,
  addresses: ReadonlyArray<string>
): Buffer => {
  const isForA = query.readUInt16BE(end - 4) === typeA
  // The name that was asked for, where it stands in the question.
  const asked = Buffer.from([0xc0, headerBytes])
  const owner = alias === undefined ? asked : written(alias)
  const records = [
    ...(alias === undefined ? [] : [record(asked, typeCname, owner)]),
    ...(isForA ? addresses : []).map((address) =>
      record(owner, typeA, Buffer.from(address.split(".").map(Number)))
    )
  ]
  const head = Buffer.from(query.subarray(0, headerBytes))
  head.writeUInt16BE(0x8180, 2)
  for (const [at, count] of [1, records.length, 0, 0].entries())
    head.writeUInt16BE(count, 4 + 2 * at)
  return Buffer.concat([head, query.subarray(headerBytes, end), ...records])
}

/** Starts one; a name that is not among the addresses, nor an alias of one, is never answered. */
export const nameServer = (
  addresses: Readonly<Record<string, ReadonlyArray<string>>>,
  aliases: Readonly<Record<string, string>> = {}
) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly address: string
      /** The names that were asked for, each time. */
      readonly asked: Array<string>
      readonly close: () => void
    }>((resume) => {
      const socket = createSocket("udp4")
      const asked: Array<string> = []
      socket.on("message", (query, { address, port }) => {
        const { end, name } = questionOf(query)
        asked.push(name)
        const alias = aliases[name]
        const known = addresses[alias ?? name]
        if (known !== undefined) socket.send(answerTo(query, end, alias, known), port, address)
      })
      socket.bind(0, "127.0.0.1", () => {
        const address = `127.0.0.1:${socket.address().port}`
        resume(Effect.succeed({ address, asked, close: () => socket.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
