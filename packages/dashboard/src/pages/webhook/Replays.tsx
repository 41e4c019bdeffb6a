/**
 * The replays of an endpoint, with how far each is.
 */
import type { VNode } from "preact"
import { call } from "../../api/call.ts"
import type { Answer } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { formatMoment, formatNumber, formatShare, words } from "../../parts/format.ts"
import { Shown } from "../../parts/states.tsx"
import { Table } from "../../parts/Table.tsx"
import { useOperation } from "../../parts/useOperation.tsx"
import { useDue } from "../../parts/useDue.ts"
import { State } from "../../parts/values.tsx"

type Replay = Answer<"webhooks.replays">["data"][number]

const CancelButton = (props: { readonly replay: Replay; readonly onDone: () => void }): VNode => {
  const { onDone, replay } = props
  const { act, fault, isBusy } = useOperation()
  const params = { id: replay.webhook_id, replay: replay.id }
  return (
    <>
      <button
        type="button"
        class="plain"
        disabled={isBusy}
        onClick={() => act(() => call("webhooks.cancelReplay", { params }).finally(onDone))}
      >
        Cancel
      </button>{" "}
      {fault}
    </>
  )
}

/** The replays of an endpoint; nothing is shown where there are none. */
export const Replays = (props: { readonly id: string; readonly count: number }): VNode => {
  const { count, id } = props
  const asked = useAsked(
    (signal) => call("webhooks.replays", { params: { id }, query: { limit: 20 }, signal }),
    [id, count]
  )
  const running = (asked.data?.data ?? []).filter(({ status }) => status === "running")
  useDue(
    running.map(() => 0),
    asked.again
  )
  return (
    <section class="card">
      <h2>Replays</h2>
      <Shown asked={asked} what="the replays">
        {({ data }) =>
          data.length === 0 ? (
            <p class="note">No replay yet. A replay sends missing deliveries again.</p>
          ) : (
            <Table
              caption="Replays"
              items={data}
              keyOf={({ id: replay }) => replay}
              columns={[
                { name: "Asked for", show: ({ created_at: at }) => formatMoment(at) },
                {
                  name: "State",
                  show: ({ reason, status }) => (
                    <>
                      <State name={status} />{" "}
                      {reason === null ? null : <span class="note">{words(reason)}</span>}
                    </>
                  )
                },
                { name: "Deliveries", show: ({ mode }) => words(mode) },
                {
                  name: "Time",
                  show: ({ since, until }) => `${formatMoment(since)} to ${formatMoment(until)}`
                },
                { name: "Done", isNumber: true, show: ({ progress }) => formatShare(progress, 0) },
                {
                  name: "Queued",
                  isNumber: true,
                  show: (one) => formatNumber(one.queued_count, 0)
                },
                {
                  name: "Command",
                  show: (replay) =>
                    replay.status === "running" ? (
                      <CancelButton replay={replay} onDone={asked.again} />
                    ) : (
                      "–"
                    )
                }
              ]}
            />
          )
        }
      </Shown>
    </section>
  )
}
