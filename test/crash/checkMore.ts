/**
 * Whether alerts, keys, secrets, deletions and what was asked for again were kept.
 */
import type { Alert } from "@candlewick/core"
import { allOf, answerOf, type Call } from "./api.ts"
import type { Findings } from "./checks.ts"
import type { HeardEvent, Receiver } from "./receiver.ts"
import { until } from "./until.ts"
import type { Promises } from "./workload.ts"

interface Named {
  readonly id: string
}

/** A key opens what it may, and a revoked one nothing. */
const checkKey = async (
  call: Call,
  [id, secret]: readonly [string, string],
  status: 200 | 401,
  { losses }: Findings
): Promise<void> => {
  const headers = { authorization: `Bearer ${secret}` }
  const answer = await answerOf(call, "GET", "/bots?limit=1", { headers })
  if (answer.status !== status) losses.push(`key ${id} is answered ${answer.status}`)
}

/** Alerts and keys are there, and nothing is there that was deleted. */
export const checkAdministration = async (
  call: Call,
  kept: Promises,
  listed: ReadonlyArray<string>,
  findings: Findings
): Promise<void> => {
  const { duplicates, losses } = findings
  const kinds = await allOf<Pick<Alert, "bot_id" | "id" | "metric">>(call, "/alerts")
  const alerts = kinds.map(({ id }) => id)
  const keys = await allOf<Named & { revoked_at: string | null }>(call, "/account/keys")
  const valid = keys.flatMap(({ id, revoked_at }) => (revoked_at === null ? [id] : []))
  for (const [id, botId] of kept.alerts) {
    const isOwn = !kept.isGoing(`/alerts/${id}`)
    const hasBot = botId === null || !kept.isGoing(`/bots/${botId}`)
    if (isOwn && hasBot && !alerts.includes(id)) losses.push(`alert ${id}`)
    const isBotGone = botId !== null && kept.deleted.has(`/bots/${botId}`)
    if (isBotGone && alerts.includes(id)) losses.push(`alert ${id} of a deleted bot is there`)
  }
  for (const id of kept.keys.keys()) {
    if (!kept.isGoing(`/account/keys/${id}`) && !valid.includes(id)) losses.push(`key ${id}`)
  }
  if (kept.open.size === 0) {
    const unasked = kinds.filter(({ id }) => !kept.alerts.has(id))
    // A bot that a slow store held back gets one alert on hindrances by itself.
    const own = unasked.filter(({ metric }) => metric === "hindered").map(({ bot_id: id }) => id)
    const unknown = unasked.filter(({ metric }) => metric !== "hindered")
    duplicates.push(
      ...unknown.map(({ id }) => `alert ${id} was made for nobody`),
      ...own
        .filter((id, index) => own.indexOf(id) !== index)
        .map((id) => `bot ${id} has two alerts on hindrances`)
    )
    const unissued = valid.slice(0, -1).filter((id) => !kept.keys.has(id))
    duplicates.push(...unissued.map((id) => `key ${id} was issued for nobody`))
  }
  const there = new Set([...listed, ...alerts, ...valid])
  for (const path of kept.deleted.keys()) {
    if (there.has(path.split("/").at(-1)!)) losses.push(`${path} is there again`)
  }
  const last = [...kept.keys].findLast(([id]) => !kept.isGoing(`/account/keys/${id}`))
  if (last !== undefined) await checkKey(call, last, 200, findings)
  const revoked = [...kept.revoked].at(-1)
  if (revoked !== undefined) await checkKey(call, revoked, 401, findings)
}

const heardOf = (endpoints: ReadonlyArray<Receiver>): ReadonlyArray<HeardEvent> =>
  endpoints.flatMap(({ heard }) => [...heard.values()])

/** A deleted record is gone with all that was below it, and nothing happens to it any more. */
export const checkDeleted = async (
  call: Call,
  kept: Promises,
  endpoints: ReadonlyArray<Receiver>,
  { losses }: Findings
): Promise<void> => {
  for (const path of kept.deleted.keys()) {
    // Keys have no address of their own.
    if (path.startsWith("/account/keys")) continue
    const below = path.startsWith("/bots/") ? ["", "/trades", "/orders", "/logs", "/status"] : [""]
    for (const part of below) {
      const { status } = await answerOf(call, "GET", path + part)
      if (status !== 404) losses.push(`${path}${part} is answered ${status} though it was deleted`)
    }
  }
  for (const { data, event, timestamp } of heardOf(endpoints)) {
    for (const path of [`/bots/${String(data["bot_id"])}`, `/alerts/${String(data["alert_id"])}`]) {
      const deletedMs = kept.deleted.get(path)
      if (deletedMs === undefined || Date.parse(timestamp) <= deletedMs) continue
      losses.push(`${event} of ${path} happened after it was deleted`)
    }
  }
}

/** The slowest delivery that was under way when a replay was asked for. */
const underWayMs = 15_000
const replaysLookedAt = 10

interface Sent {
  readonly event_id: string
  readonly test: boolean
}

/** The deliveries that were asked for again came again. */
export const checkAskedAgain = async (
  call: Call,
  kept: Promises,
  endpoints: ReadonlyArray<Receiver>,
  { duplicates, losses }: Findings
): Promise<void> => {
  const wanted = [...kept.askedAgain]
  const last = [...kept.replays.keys()].slice(-replaysLookedAt)
  for (const [endpoint, webhookId] of [...kept.webhooks].entries()) {
    const path = `/webhooks/${webhookId}`
    const ids = (await allOf<Named>(call, `${path}/replays`)).map(({ id }) => id)
    const unknown = ids.filter((id) => !kept.replays.has(id))
    duplicates.push(...unknown.map((id) => `replay ${id} was begun for nobody`))
    for (const [id, promised] of kept.replays) {
      if (promised.endpoint !== endpoint) continue
      const replay = { status: "", mode: "", since: "", until: "" }
      const late = await until(
        async () => {
          Object.assign(replay, (await answerOf(call, "GET", `${path}/replays/${id}`)).body)
          return ["completed", "partial"].includes(replay.status)
        },
        `replay ${id} never ended`,
        120_000
      )
      if (late !== null) losses.push(`${late}: it is ${replay.status}`)
      if (replay.mode !== "all" || !last.includes(id)) continue
      const query = `since=${replay.since}&until=${replay.until}`
      for (const { event_id, test } of await allOf<Sent>(call, `${path}/deliveries?${query}`)) {
        const firstMs = endpoints[endpoint]!.heard.get(event_id)?.firstMs ?? Infinity
        if (test || firstMs > promised.askedMs - underWayMs) continue
        wanted.push({ endpoint, eventId: event_id, askedMs: promised.askedMs })
      }
    }
  }
  const missing = () =>
    wanted.filter(({ askedMs, endpoint, eventId }) => {
      const lastMs = endpoints[endpoint]!.heard.get(eventId)?.lastMs
      return lastMs === undefined || lastMs < askedMs
    })
  await until(async () => missing().length === 0, "", 120_000)
  for (const { endpoint, eventId } of missing()) {
    losses.push(`endpoint ${endpoint} did not hear ${eventId} again`)
  }
}

/** The newest secret signs, and nothing was signed with one that had been replaced. */
export const checkSecrets = async (
  call: Call,
  kept: Promises,
  endpoints: ReadonlyArray<Receiver>,
  { losses }: Findings
): Promise<void> => {
  for (const [index, webhookId] of [...kept.webhooks].entries()) {
    const receiver = endpoints[index]!
    const { secret, secrets } = receiver
    if (receiver.stale() > 0) {
      losses.push(`endpoint ${index} got ${receiver.stale()} requests with a replaced secret`)
    }
    const after = secrets.findLastIndex(({ text }) => text === secret)
    const newest = secrets.slice(after).map(({ text }) => text)
    const count = () => newest.reduce((sum, text) => sum + (receiver.signed.get(text) ?? 0), 0)
    const before = count()
    await answerOf(call, "POST", `/webhooks/${webhookId}/test`)
    const late = await until(async () => count() > before, "nothing", 60_000)
    if (late !== null) losses.push(`endpoint ${index} got ${late} signed with its newest secret`)
  }
}
