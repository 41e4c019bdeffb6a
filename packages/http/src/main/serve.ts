#!/usr/bin/env node
/**
 * The program `candlewick-server`.
 *
 * @since 0.1.0
 */
import { keepCompiled } from "./keepCompiled.ts"

keepCompiled()
const { start } = await import("./start.ts")

start(process.argv.slice(2))
