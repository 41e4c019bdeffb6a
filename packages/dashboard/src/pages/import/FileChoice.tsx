/**
 * Chooses a file, by a button or by dropping it.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { counted, formatNumber } from "../../parts/format.ts"

const sizeOf = ({ size }: File): string =>
  size < 1_000
    ? counted(size, "byte")
    : size < 1_000_000
      ? `${formatNumber(size / 1_000, 1)} kB`
      : `${formatNumber(size / 1_000_000, 1)} MB`

/** A place to drop a file on, with a button beside it. */
export const FileChoice = (props: {
  readonly file: File | null
  readonly onChoose: (file: File) => void
}): VNode => {
  const { file, onChoose } = props
  const [isOver, setIsOver] = useState(false)
  const take = (files: FileList | null | undefined) => {
    const chosen = files?.[0]
    if (chosen !== undefined) onChoose(chosen)
  }
  return (
    <div
      class={isOver ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      <p>{file === null ? "Drop a file of candles here, or" : `${file.name}, ${sizeOf(file)}`}</p>
      <input
        id="file"
        class="hidden"
        type="file"
        onChange={(event) => take(event.currentTarget.files)}
      />
      <label for="file" class="button">
        {file === null ? "Choose a file" : "Choose another file"}
      </label>
      <p class="note">
        CSV, JSON or Parquet as exchanges, charts and libraries write it; as it is, as gzip or in a
        zip archive. How it is read is shown before anything is kept.
      </p>
    </div>
  )
}
