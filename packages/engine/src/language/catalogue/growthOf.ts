/**
 * The compound growth of equity a year.
 *
 * Several metrics divide it by a risk.
 *
 * @since 0.1.0
 */
import { cagr } from "../../kernel/metrics/cagr.ts"
import type { Measurement } from "../Measurement.ts"
import { equityEnd } from "./equityEnd.ts"

const durationMs = ({ time, timeframeMs }: Measurement): number =>
  time.length === 0 ? 0 : time[time.length - 1]! + timeframeMs - time[0]!

/** Compound annual growth rate. @category measuring @since 0.1.0 */
export const growthOf = (measurement: Measurement): number =>
  cagr(measurement.equityStart, equityEnd(measurement), durationMs(measurement))
