/**
 * What each caller is answered by each operation of REST, written by hand: the table of operations (src/api/table.ts) is
 * what is tested, so nothing here may be computed from it.
 */

/** In the order of the columns. */
export const callers = [
  "no token",
  "a wrong token",
  "a revoked token",
  "an expired token",
  "an ended session",
  "the owner's session from a foreign page",
  "another team",
  "own, but not acting",
  "no longer in the acting team",
  "member",
  "owner",
] as const;
export type Who = (typeof callers)[number];

/** What a cell stands for, where it is not a status alone. */
const words: Readonly<Record<string, string>> = {
  "401": "401 unauthenticated",
  origin: "403 origin_refused",
  gone: "403 not_a_member",
  team: "403 other_team",
  owners: "403 owners_only",
  "404": "404 not_found",
  session: "403 session_required",
  state: "409 state_conflict",
  paid: "409 nothing_to_pay",
  "422": "422 source_unreachable",
};

const table = `
                       none  wrong revoked expired ended  foreign  another not-acting gone   member owner
createMigration        401   401   401     401     401    origin   201     201        gone   201    201
listMigrations         401   401   401     401     401    200      200     200        gone   200    200
getMigration           401   401   401     401     401    200      team    team       gone   200    200
deleteMigration        401   401   401     401     401    origin   team    team       gone   200    200
getMigrationLogs       401   401   401     401     401    200      team    team       gone   200    200
streamMigrationEvents  401   401   401     401     401    200      team    team       gone   200    200
getMigrationReport     401   401   401     401     401    state    team    team       gone   state  state
checkoutMigration      401   401   401     401     401    origin   team    team       gone   paid   paid
retryMigration         401   401   401     401     401    origin   team    team       gone   state  state
resetMigration         401   401   401     401     401    origin   team    team       gone   202    202
preflightMigration     401   401   401     401     401    origin   200     200        gone   200    200
estimateMigration      401   401   401     401     401    origin   422     422        gone   422    422
testConnection         401   401   401     401     401    origin   200     200        gone   200    200
createBackup           401   401   401     401     401    origin   201     201        gone   201    201
listBackups            401   401   401     401     401    200      200     200        gone   200    200
getBackup              401   401   401     401     401    200      team    team       gone   200    200
updateBackup           401   401   401     401     401    origin   team    team       gone   200    200
deleteBackup           401   401   401     401     401    origin   team    team       gone   200    200
runBackup              401   401   401     401     401    origin   team    team       gone   202    202
listBackupRuns         401   401   401     401     401    200      team    team       gone   200    200
getBackupRun           401   401   401     401     401    200      team    team       gone   200    200
verifyBackupRun        401   401   401     401     401    origin   team    team       gone   state  state
restoreBackup          401   401   401     401     401    origin   team    team       gone   state  state
listRestores           401   401   401     401     401    200      200     200        gone   200    200
getRestore             401   401   401     401     401    200      team    team       gone   200    200
getRestoreReport       401   401   401     401     401    state    team    team       gone   state  state
signUp                 201   201   201     201     201    201      201     201        201    201    201
getAccount             401   401   401     401     401    200      200     200        200    200    200
listAccountEvents      401   401   401     401     401    200      200     200        200    200    200
changePassword         401   401   401     401     401    origin   200     200        200    200    200
signIn                 200   200   200     200     200    200      200     200        200    200    200
getSignInMethods       200   200   200     200     200    200      200     200        200    200    200
startOidcSignIn        404   404   404     404     404    404      404     404        404    404    404
finishOidcSignIn       404   404   404     404     404    404      404     404        404    404    404
linkOidc               401   401   401     401     401    origin   session session    session session session
unlinkOidc             401   401   401     401     401    origin   session session    session session session
signOut                401   401   401     401     401    origin   state   state      state  state  state
listTokens             401   401   401     401     401    200      200     200        200    200    200
createToken            401   401   401     401     401    origin   201     201        201    201    201
revokeToken            401   401   401     401     401    origin   404     404        404    404    200
listTeams              401   401   401     401     401    200      200     200        200    200    200
createTeam             401   401   401     401     401    origin   201     201        201    201    201
switchTeam             401   401   401     401     401    origin   gone    200        gone   200    200
joinTeam               401   401   401     401     401    origin   404     404        404    404    404
listMembers            401   401   401     401     401    200      team    team       gone   200    200
addMember              401   401   401     401     401    origin   team    team       gone   owners 200
removeMember           401   401   401     401     401    origin   team    team       gone   owners 200
subscribe              401   401   401     401     401    origin   paid    paid       paid   paid   paid
openBillingPortal      401   401   401     401     401    origin   paid    paid       paid   paid   paid
getOpenApi             200   200   200     200     200    200      200     200        200    200    200
getHealth              200   200   200     200     200    200      200     200        200    200    200
getReadiness           200   200   200     200     200    200      200     200        200    200    200
`;

const rows = table
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split(/ +/));

/** By operation: the status, with the code of an error, for each caller in their order. */
export const answers: ReadonlyMap<string, readonly string[]> = new Map(
  rows.map(([id = "", ...cells]) => [id, cells.map((cell) => words[cell] ?? cell)]),
);

/** An operation without a row has no answer that is right. */
export const answerTo = (id: string, who: Who): string =>
  answers.get(id)?.[callers.indexOf(who)] ?? `nothing: ${id} has no row in who-answers.ts`;
