#!/usr/bin/env node
/**
 * The program `candlewick-server`.
 *
 * @since 0.1.0
 */
import { start } from "./start.ts"

start(process.argv.slice(2))
