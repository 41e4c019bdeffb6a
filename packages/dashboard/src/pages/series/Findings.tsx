/**
 * The findings in a series: gaps, outliers, and stretches that stood still.
 */
import type { ComponentChildren, VNode } from "preact"
import type { CandlePreviewRecord } from "../../api/types.ts"
import { formatMoment, formatNumber, formatShare, formatPrice } from "../../parts/format.ts"
import { Table } from "../../parts/Table.tsx"

type Found = NonNullable<CandlePreviewRecord["findings"]>
type Show = ((at: string) => void) | undefined

const ShowButton = (props: { readonly at: string; readonly onShow: Show }): VNode | null => {
  const { at, onShow } = props
  return onShow === undefined ? null : (
    <button
      type="button"
      class="plain"
      aria-label={`Draw ${formatMoment(at)}`}
      onClick={() => onShow(at)}
    >
      Draw
    </button>
  )
}

const shownColumn = <A,>(atOf: (one: A) => string, onShow: Show) =>
  onShow === undefined
    ? []
    : [{ name: "Look", show: (one: A) => <ShowButton at={atOf(one)} onShow={onShow} /> }]

const Kind = (props: {
  readonly title: string
  readonly count: number
  readonly none: string
  readonly shown: number
  readonly children: ComponentChildren
}): VNode => {
  const { children, count, none, shown, title } = props
  return (
    <section class="card">
      <h2>
        {title} <span class="count">{formatNumber(count, 0)}</span>
      </h2>
      {count === 0 ? <p class="note">{none}</p> : <div class="bounded">{children}</div>}
      {shown < count ? <p class="note">The {formatNumber(shown, 0)} largest are shown.</p> : null}
    </section>
  )
}

const Gaps = ({ found, onShow }: { readonly found: Found; readonly onShow: Show }): VNode => (
  <Kind
    title="Gaps"
    count={found.gap_count}
    shown={found.gaps.length}
    none="No candle is missing between the first and the last."
  >
    <Table
      caption="Gaps"
      items={found.gaps}
      keyOf={({ from }) => from}
      columns={[
        { name: "From", show: ({ from }) => formatMoment(from) },
        { name: "To", show: ({ to }) => formatMoment(to) },
        {
          name: "Missing candles",
          isNumber: true,
          show: (gap) => formatNumber(gap.missing_count, 0)
        },
        ...shownColumn(({ from }: Found["gaps"][number]) => from, onShow)
      ]}
    />
  </Kind>
)

const Outliers = ({ found, onShow }: { readonly found: Found; readonly onShow: Show }): VNode => (
  <Kind
    title="Outliers"
    count={found.outlier_count}
    shown={found.outliers.length}
    none="No candle moves 20 times as far as is usual."
  >
    <Table
      caption="Outliers"
      items={found.outliers}
      keyOf={({ at }) => at}
      columns={[
        { name: "Candle", show: ({ at }) => formatMoment(at) },
        { name: "Open", isNumber: true, show: ({ open }) => formatPrice(open) },
        { name: "High", isNumber: true, show: ({ high }) => formatPrice(high) },
        { name: "Low", isNumber: true, show: ({ low }) => formatPrice(low) },
        { name: "Close", isNumber: true, show: ({ close }) => formatPrice(close) },
        { name: "Move", isNumber: true, show: ({ move }) => formatShare(move) },
        {
          name: "Times usual",
          isNumber: true,
          show: ({ times_usual: times }) => formatNumber(times, 0)
        },
        ...shownColumn(({ at }: Found["outliers"][number]) => at, onShow)
      ]}
    />
  </Kind>
)

const Repeats = ({ found, onShow }: { readonly found: Found; readonly onShow: Show }): VNode => (
  <Kind
    title="Repeats"
    count={found.repeat_count}
    shown={found.repeats.length}
    none="Nowhere are five candles in a row equal, as a feed leaves them that stood still."
  >
    <Table
      caption="Repeats"
      items={found.repeats}
      keyOf={({ from }) => from}
      columns={[
        { name: "From", show: ({ from }) => formatMoment(from) },
        { name: "To", show: ({ to }) => formatMoment(to) },
        { name: "Equal candles", isNumber: true, show: (one) => formatNumber(one.candle_count, 0) },
        ...shownColumn(({ from }: Found["repeats"][number]) => from, onShow)
      ]}
    />
  </Kind>
)

/** The findings in candles; `onShow` draws the candles about a moment. */
export const Findings = (props: { readonly found: Found; readonly onShow?: Show }): VNode => (
  <>
    <Gaps found={props.found} onShow={props.onShow} />
    <Outliers found={props.found} onShow={props.onShow} />
    <Repeats found={props.found} onShow={props.onShow} />
  </>
)
