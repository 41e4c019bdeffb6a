/**
 * The limits of risk under which each bot runs.
 */
import type { VNode } from "preact"
import { call } from "../../api/call.ts"
import type { BotRecord } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { words } from "../../parts/format.ts"
import { Empty, Shown } from "../../parts/states.tsx"
import { Table } from "../../parts/Table.tsx"
import { Mode } from "../../parts/values.tsx"
import { linkTo } from "../../shell/route.ts"

const written = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : `${value as string | number | boolean}`

const limitsOf = ({ risk }: BotRecord): string =>
  Object.entries(risk ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${words(name)} ${written(value)}`)
    .join(", ")

/** Limits of the newest bots. */
export const BotLimits = (): VNode => {
  const asked = useAsked((signal) => call("bots.list", { query: { limit: 100 }, signal }), [])
  return (
    <section class="card">
      <h2>Limits of bots</h2>
      <Shown asked={asked} what="the limits">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No bots">Limits are set where a bot is created.</Empty>
          ) : (
            <Table
              caption="Limits of bots"
              items={data}
              keyOf={({ id }) => id}
              columns={[
                { name: "Bot", show: ({ id, name }) => <a href={linkTo(["bots", id])}>{name}</a> },
                { name: "Mode", show: ({ mode }) => <Mode mode={mode} /> },
                { name: "Gate", show: ({ trading_state: state }) => words(state) },
                { name: "Limits", show: (bot) => limitsOf(bot) || "none of its own" }
              ]}
            />
          )
        }
      </Shown>
    </section>
  )
}
