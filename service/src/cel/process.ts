import { celError } from './engine.ts'
import { Evaluator } from './evaluator.ts'
import type { Answer, Question } from './thread.ts'

/** Real expressions take microseconds. Only a hostile one, such as nested loops, takes this long. */
const MAX_EVALUATION_MS = 1_000

const evaluator = new Evaluator(MAX_EVALUATION_MS)

// Ignores Ctrl-C, so that the service can finish its runs. Ends together with the service.
process.on('SIGINT', () => {}).on('SIGTERM', () => {})
process.on('disconnect', () => process.exit())
process.on('message', async (question: Question) => process.send?.(await answerTo(question)))

async function answerTo(question: Question): Promise<Answer> {
  try {
    return { result: await evaluator.evaluate(question) }
  } catch (error) {
    return { refused: celError(error).message }
  }
}
