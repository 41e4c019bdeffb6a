/**
 * How the server read a file, with the questions that the file leaves open.
 */
import type { VNode } from "preact"
import type { CandlePreviewRecord } from "../../api/types.ts"
import { formatNumber, sentence, words } from "../../parts/format.ts"
import { Figure } from "../../parts/values.tsx"

type ReadAs = NonNullable<CandlePreviewRecord["reading"]>

const timesOf = ({ date_order, time_unit, zone }: ReadAs): string => {
  if (time_unit !== null) return `epoch, ${time_unit}`
  return [date_order === null ? "dates" : words(date_order), zone].filter(Boolean).join(", ")
}

const Questions = (props: {
  readonly reading: ReadAs
  readonly onSettle: (answer: string) => void
}): VNode | null => {
  const { onSettle, reading } = props
  return reading.ambiguities.length === 0 ? null : (
    <section class="banner warn" aria-label="Open questions">
      {reading.ambiguities.map(({ about, is_open: isOpen, or, read_as: readAs, settle }) => (
        <div class="question" key={about}>
          <p>
            {sentence(
              `${isOpen ? "the file does not say how" : "the file leaves it uncertain how"} ${words(about)} is meant: ` +
                `read as ${readAs}, it may be ${or}`
            )}
          </p>
          <button type="button" class="plain" onClick={() => onSettle(settle)}>
            Take {settle}
          </button>
        </div>
      ))}
    </section>
  )
}

/** How a file was read. */
export const Reading = (props: {
  readonly preview: CandlePreviewRecord
  readonly onSettle: (answer: string) => void
}): VNode | null => {
  const { reading } = props.preview
  if (reading === null) return null
  const packed = reading.packing === "none" ? "" : `, ${reading.packing}`
  return (
    <>
      <Questions reading={reading} onSettle={props.onSettle} />
      <dl class="figures">
        <Figure name="File" note={`${words(reading.format)}${packed}`}>
          {words(reading.layout)}
        </Figure>
        <Figure name="Rows" note={words(reading.row_order)}>
          {formatNumber(reading.row_count, 0)}
        </Figure>
        <Figure name="Times" note={reading.has_header ? "by the header" : "without a header"}>
          {timesOf(reading)}
        </Figure>
        <Figure name="Candle" note={reading.is_timeframe_found ? "by the steps" : "as said"}>
          {reading.timeframe ?? "–"}
        </Figure>
      </dl>
      <p class="note">
        {reading.columns.map(({ column, field }) => `${field} is “${column}”`).join(", ")}
        {reading.ignored_columns.length === 0
          ? ""
          : `; passed over: ${reading.ignored_columns.join(", ")}`}
        .
        {reading.empty_row_count === 0
          ? ""
          : ` ${formatNumber(reading.empty_row_count, 0)} rows without prices were passed over.`}
        {reading.moved_to_day_count === 0
          ? ""
          : ` ${formatNumber(reading.moved_to_day_count, 0)} candles were moved to the start of their day.`}
      </p>
      {reading.notes.map((text) => (
        <p key={text} class="note">
          {sentence(text)}
        </p>
      ))}
    </>
  )
}
