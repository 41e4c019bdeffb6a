/**
 * A table: columns with a heading, and rows of a list.
 *
 * On a phone, each row is a list of its cells, with their headings.
 */
import type { ComponentChildren, VNode } from "preact"

/** A column of a table. */
export interface Column<A> {
  readonly name: string
  readonly show: (item: A) => ComponentChildren
  readonly isNumber?: boolean
  /** Whether a cell takes a line of its own on a phone; only last columns do. */
  readonly isWide?: boolean
  /** Whether a cell is a text that may take two lines. */
  readonly isFree?: boolean
}

/** A cell, which knows its heading for a phone. */
export const Cell = <A,>(props: { readonly column: Column<A>; readonly item: A }): VNode => {
  const { isFree, isNumber, isWide, name, show } = props.column
  const kinds = [
    isNumber === true && "number",
    isWide === true && "wide",
    isFree === true && "free"
  ]
  const shown = show(props.item)
  return (
    <td data-name={name} class={kinds.find((kind) => kind !== false)}>
      {isFree === true ? <span>{shown}</span> : shown}
    </td>
  )
}

/** A table of a list. */
export const Table = <A,>(props: {
  readonly caption: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly items: ReadonlyArray<A>
  readonly keyOf: (item: A) => string
}): VNode => (
  <div class="scroll" tabIndex={0} role="region" aria-label={props.caption}>
    <table>
      <caption class="hidden">{props.caption}</caption>
      <thead>
        <tr>
          {props.columns.map(({ isNumber, name }) => (
            <th key={name} scope="col" class={isNumber === true ? "number" : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.items.map((item) => (
          <tr key={props.keyOf(item)}>
            {props.columns.map((column) => (
              <Cell key={column.name} column={column} item={item} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
