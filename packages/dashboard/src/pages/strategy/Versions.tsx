/**
 * The versions of a strategy: the time and the source of each.
 */
import type { VNode } from "preact"
import { call } from "../../api/call.ts"
import type { Version } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { formatMoment, formatParameter, words } from "../../parts/format.ts"
import { Empty, Shown } from "../../parts/states.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { linkTo } from "../../shell/route.ts"

const Origin = ({ lineage }: Pick<Version, "lineage">): VNode => {
  const { from_version: from, optimization_id: search, origin, trial_index: trial } = lineage
  return (
    <>
      {origin}
      {from === null ? "" : `, from version ${from}`}
      {search === null ? null : (
        <>
          , trial {trial} of <a href={linkTo(["searches", search])}>a search</a>
        </>
      )}
    </>
  )
}

const columns: ReadonlyArray<Column<Version>> = [
  {
    name: "Version",
    show: ({ strategy_id: id, version }) => (
      <a href={linkTo(["strategies", id], { version: String(version) })}>{version}</a>
    )
  },
  { name: "Made", show: ({ created_at }) => formatMoment(created_at) },
  { name: "Comes from", show: ({ lineage }) => <Origin lineage={lineage} /> },
  {
    name: "Parameters",
    show: ({ parameters }) =>
      parameters.map(({ name, value }) => `${words(name)} ${formatParameter(value)}`).join(", ")
  },
  {
    name: "Hash of its rules",
    show: ({ definition_hash }) => <code>{definition_hash.slice(0, 12)}</code>
  }
]

/** The versions of a strategy, the newest first. */
export const Versions = (props: { readonly id: string; readonly version: number }): VNode => {
  const { id, version } = props
  const asked = useAsked(
    (signal) => call("strategies.versions", { params: { id }, query: { limit: 50 }, signal }),
    [id, version]
  )
  return (
    <section class="card bounded">
      <h2>Versions</h2>
      <Shown asked={asked} what="the versions">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No version yet" />
          ) : (
            <Table
              caption="Versions, the newest first"
              columns={columns}
              items={data}
              keyOf={(one) => String(one.version)}
            />
          )
        }
      </Shown>
    </section>
  )
}
