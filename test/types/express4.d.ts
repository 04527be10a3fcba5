/** Express 4 under the name that it has in the dev dependencies. The parts used here have the types of Express 5. */
declare module 'express4' {
  import express from 'express'
  export = express
}
