/** How long a test may take before it is taken to hang, unless it says itself that it takes longer. */
import { defaultDrawShare } from "./drawShare.ts"
import type { Project } from "./tiers.ts"

/** A test that computes ends long before, also on a machine that is ten times as busy. */
export const shortLimitMs = 240_000

/** Real databases and processes take their time, and so do laws with all of their draws. */
export const longLimitMs = 900_000

const slow: ReadonlySet<Project> = new Set<Project>(["kills", "process", "database"])

/** The limit of a project's tests, in a run whose laws take this share of their draws. */
export const timeLimitMs = (project: Project, share: number): number => {
  const isLong = slow.has(project) || (project === "law" && share > defaultDrawShare)
  return isLong ? longLimitMs : shortLimitMs
}
