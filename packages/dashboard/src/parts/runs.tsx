/**
 * How far a run is: shown by the stream while it goes on, and read again when it has ended.
 */
import type { VNode } from "preact"
import { useEffect, useState } from "preact/hooks"
import { onEvent } from "../api/stream.ts"
import { formatDuration, formatNumber, formatShare, words } from "./format.ts"

/** Where a run is. */
export interface RunProgressNote {
  readonly status: string
  readonly step: string
  readonly progress: number
  readonly eta_seconds: number | null
  readonly queue_position: number | null
}

const isNote = (data: unknown): data is RunProgressNote & { readonly run_id: string } =>
  typeof data === "object" && data !== null && "run_id" in data

/** The newest note of a run; `onEnd` is called once it has ended. */
export const useRun = (
  id: string,
  read: RunProgressNote | undefined,
  onEnd: () => void
): RunProgressNote | undefined => {
  const [told, setTold] = useState<RunProgressNote>()
  useEffect(
    () =>
      onEvent(({ data, type }) => {
        const note = data["data"]
        if (!type.startsWith("run.") || !isNote(note) || note.run_id !== id) return
        setTold(note)
        if (type === "run.ended") onEnd()
      }),
    [id]
  )
  return told ?? read
}

const isOver = (status: string): boolean => !["queued", "running"].includes(status)

/** The progress of a run that is not over. */
export const ProgressCard = (props: {
  readonly note: RunProgressNote
  readonly what: string
}): VNode | null => {
  const { note, what } = props
  if (isOver(note.status)) return null
  return (
    <section class="card" aria-label={`Progress of ${what}`}>
      <progress value={note.progress} max={1} aria-label={`Progress of ${what}`} />
      <p class="note" role="status">
        {note.queue_position !== null && note.status === "queued"
          ? `Waits in the queue, at place ${formatNumber(note.queue_position, 0)}.`
          : `${formatShare(note.progress, 0)}, ${words(note.step)}`}
        {note.eta_seconds === null ? "" : `, about ${formatDuration(note.eta_seconds)} left`}. It
        goes on on the server, whether this tab is open or not.
      </p>
    </section>
  )
}
