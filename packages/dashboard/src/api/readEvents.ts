/**
 * Reads server-sent events from a text that comes in pieces.
 */

/** One event. */
export interface StreamEvent {
  readonly type: string
  readonly id: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** Splits the text of a stream into events; returns the incomplete rest. */
export const readEvents = (text: string, tell: (event: StreamEvent) => void): string => {
  const blocks = text.split(/\r?\n\r?\n/)
  const rest = blocks.pop() ?? ""
  for (const block of blocks) {
    let [type, id, data] = ["message", null as string | null, ""]
    for (const line of block.split(/\r?\n/)) {
      const [, field, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? []
      if (field === "event") type = value
      else if (field === "id") id = value
      else if (field === "data") data += value
    }
    if (data === "" && id === null) continue
    tell({ type, id, data: data === "" ? {} : JSON.parse(data) })
  }
  return rest
}
