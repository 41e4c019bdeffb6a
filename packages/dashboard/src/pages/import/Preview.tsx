/**
 * The preview of an import: how the file was read, its first and last candles, and its findings.
 */
import type { VNode } from "preact"
import { RefusedCall, sentenceOf } from "../../api/call.ts"
import type { CandlePreviewRecord } from "../../api/types.ts"
import {
  counted,
  formatMoment,
  formatNumber,
  formatPrice,
  formatQuantity,
  sentence
} from "../../parts/format.ts"
import { Table } from "../../parts/Table.tsx"
import { Findings } from "../series/Findings.tsx"
import { isValueConflict, outcomeOf } from "./importing.ts"
import { Reading } from "./Reading.tsx"

type Row = CandlePreviewRecord["first"][number]

const Candles = ({ preview }: { readonly preview: CandlePreviewRecord }): VNode => {
  const first = new Set(preview.first.map(({ time }) => time))
  const rows = [...preview.first, ...preview.last.filter(({ time }) => !first.has(time))]
  return (
    <Table<Row>
      caption="The first and the last candles as they were read"
      items={rows}
      keyOf={({ time }) => String(time)}
      columns={[
        { name: "Candle, UTC", show: ({ time }) => formatMoment(new Date(time).toISOString()) },
        { name: "Open", isNumber: true, show: ({ open }) => formatPrice(open) },
        { name: "High", isNumber: true, show: ({ high }) => formatPrice(high) },
        { name: "Low", isNumber: true, show: ({ low }) => formatPrice(low) },
        { name: "Close", isNumber: true, show: ({ close }) => formatPrice(close) },
        { name: "Volume", isNumber: true, show: ({ volume }) => formatQuantity(volume) }
      ]}
    />
  )
}

const faultsShown = 10

/** Why a file can't be imported. */
export const Faults = (props: {
  readonly title: string
  readonly faults: CandlePreviewRecord["errors"]
}): VNode => (
  <section class="banner bad" role="alert">
    <strong>{props.title}</strong>
    <ul>
      {props.faults.slice(0, faultsShown).map(({ message, pointer }) => (
        <li key={`${pointer} ${message}`}>{sentence(message)}</li>
      ))}
    </ul>
    {props.faults.length <= faultsShown ? null : (
      <p class="note">And {formatNumber(props.faults.length - faultsShown, 0)} more.</p>
    )}
  </section>
)

/** Why a file could not be read at all. */
export const Unread = ({ fault }: { readonly fault: unknown }): VNode => (
  <Faults
    title="The file can't be read so."
    faults={
      fault instanceof RefusedCall && fault.faults.length > 0
        ? fault.faults
        : [{ pointer: "", code: "", message: sentenceOf(fault) }]
    }
  />
)

// The server names no more of them.
const faultsMax = 100

const Conflict = (props: {
  readonly preview: CandlePreviewRecord
  readonly onConflict: (choice: "keep" | "replace") => void
}): VNode => (
  <section class="banner warn" role="alert">
    <p>
      <strong>Kept candles have other values</strong> than those of the file, at{" "}
      {counted(props.preview.errors.length, "time")}
      {props.preview.errors.length < faultsMax ? "" : " or more"}. An import needs to know which
      count.
    </p>
    <div class="actions-row">
      <button type="button" class="plain" onClick={() => props.onConflict("keep")}>
        Keep what is there, add the rest
      </button>
      <button type="button" class="plain" onClick={() => props.onConflict("replace")}>
        Replace it with the file
      </button>
    </div>
  </section>
)

/** The preview of an import. */
export const Preview = (props: {
  readonly preview: CandlePreviewRecord
  readonly onSettle: (answer: string) => void
}): VNode => {
  const { onSettle, preview } = props
  const { errors, findings, would } = preview
  return (
    <>
      {isValueConflict(preview) ? (
        <Conflict preview={preview} onConflict={(choice) => onSettle(`on_conflict=${choice}`)} />
      ) : errors.length > 0 ? (
        <Faults title="An import would be refused." faults={errors} />
      ) : null}
      <section class="card">
        <h2>
          Read as {preview.symbol} {preview.timeframe}
        </h2>
        <Reading preview={preview} onSettle={onSettle} />
        {would === null ? null : <p>{outcomeOf(would)}</p>}
        <Candles preview={preview} />
      </section>
      {findings === null ? null : <Findings found={findings} />}
    </>
  )
}
