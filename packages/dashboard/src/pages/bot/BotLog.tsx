/**
 * A bot's log, the newest line first; lines come as they are written.
 */
import type { VNode } from "preact"
import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { StreamEvent } from "../../api/readEvents.ts"
import type { LogLine } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { formatMoment, shortened, words } from "../../parts/format.ts"
import { Empty, Shown } from "../../parts/states.tsx"

const linesMax = 200

/** Puts a line that came before those that are there; one that is there already is left out. */
export const withLine = (lines: ReadonlyArray<LogLine>, line: LogLine): ReadonlyArray<LogLine> =>
  lines.some(({ seq }) => seq === line.seq)
    ? lines
    : [line, ...lines].toSorted((one, other) => other.seq - one.seq).slice(0, linesMax)

const isLine = (data: Readonly<Record<string, unknown>>, id: string): boolean =>
  data["bot_id"] === id && typeof data["seq"] === "number"

const Line = ({ line }: { readonly line: LogLine }): VNode => {
  const details = Object.entries(line.data)
  return (
    <li class={`log ${line.level}`}>
      <time dateTime={line.timestamp}>{formatMoment(line.timestamp)}</time>
      <span class="level">{line.level}</span>
      <span>
        {shortened(line.message)}
        {details.length === 0 ? null : (
          <details>
            <summary>{words(line.event)}</summary>
            <pre>{JSON.stringify(line.data, undefined, 2)}</pre>
          </details>
        )}
      </span>
    </li>
  )
}

/** A bot's log. */
export const BotLog = (props: {
  readonly id: string
  readonly listen: (hear: (event: StreamEvent) => void) => () => void
}): VNode => {
  const { id, listen } = props
  const [level, setLevel] = useState<"debug" | "info" | "warn" | "error">("info")
  const [came, setCame] = useState<ReadonlyArray<LogLine>>([])
  const asked = useAsked(
    (signal) => call("bots.logs", { params: { id }, query: { limit: 100, level }, signal }),
    [id, level]
  )
  useEffect(
    () =>
      listen(({ data }) => {
        if (isLine(data, id)) setCame((before) => withLine(before, data as unknown as LogLine))
      }),
    [id]
  )
  const order = ["debug", "info", "warn", "error"]
  const newer = came.filter((line) => order.indexOf(line.level) >= order.indexOf(level))
  return (
    <section class="card">
      <div class="card-head">
        <h2>Log</h2>
        <label>
          From level{" "}
          <select
            value={level}
            onChange={(event) => setLevel(event.currentTarget.value as typeof level)}
          >
            {order.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
      <Shown asked={asked} what="the log">
        {({ data }) => {
          const lines = newer.reduce(withLine, data)
          return lines.length === 0 ? (
            <Empty title="The log has no line yet" />
          ) : (
            <ol class="logs" tabIndex={0} aria-label="Log, the newest line first">
              {lines.map((line) => (
                <Line key={line.seq} line={line} />
              ))}
            </ol>
          )
        }}
      </Shown>
    </section>
  )
}
