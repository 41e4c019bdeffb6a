/**
 * A list with its count, its failures, and its text where it is empty.
 */
import type { ComponentChildren, VNode } from "preact"
import { formatNumber } from "./format.ts"
import { Empty, Failure } from "./states.tsx"
import type { Column } from "./Table.tsx"
import type { Listed } from "./useList.ts"
import { VirtualTable } from "./VirtualTable.tsx"

/** A list as a table that loads as it is scrolled. */
export const ListView = <A,>(props: {
  readonly caption: string
  readonly list: Listed<A>
  readonly columns: ReadonlyArray<Column<A>>
  readonly keyOf: (item: A) => string
  readonly empty: string
  /** How something comes there. */
  readonly children?: ComponentChildren
}): VNode => {
  const { caption, children, columns, empty, keyOf, list } = props
  const { fault, isDone, isLoading, items, loadMore, start } = list
  return (
    <>
      <p class="lead" role="status">
        {isLoading && items.length === 0 ? (
          <span class="loading">Loading…</span>
        ) : (
          `${formatNumber(items.length, 0)}${isDone ? "" : "+"} shown`
        )}
      </p>
      {fault === undefined ? null : (
        <Failure title="The list can't be loaded" text={fault} onRetry={start} />
      )}
      {isDone && items.length === 0 ? (
        <Empty title={empty}>{children}</Empty>
      ) : (
        <VirtualTable
          caption={caption}
          columns={columns}
          items={items}
          keyOf={keyOf}
          onEnd={loadMore}
        />
      )}
    </>
  )
}
