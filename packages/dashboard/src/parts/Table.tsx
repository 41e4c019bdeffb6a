/**
 * A table: columns with a heading, and rows of a list. A phone scrolls it sideways.
 */
import type { ComponentChildren, VNode } from "preact"

/** A column of a table. */
export interface Column<A> {
  readonly name: string
  readonly show: (item: A) => ComponentChildren
  readonly isNumber?: boolean
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
            {props.columns.map(({ isNumber, name, show }) => (
              <td key={name} class={isNumber === true ? "number" : undefined}>
                {show(item)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
