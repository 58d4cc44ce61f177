// The script of the demo's databases as an account without rights, with names and passwords that a shell or SQL could misread.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OrdinaryAccount, openOrdinaryAccount } from "./ordinary-account.ts";

let account: OrdinaryAccount;

beforeAll(async () => {
  account = await openOrdinaryAccount();
});

afterAll(() => account.close());

const script = `set -eu
kind=$1
image=$(ls -d "$ROWFERRY_CACHE"/images/processes/"$kind"-process-* | grep -v used)
# Where the space splits a path, the first part is another folder.
mkdir -p "$HOME/tmp/a/kept" "$HOME/tmp/a folder/it's"
root="$HOME/tmp/a folder/it's"
mkdir "$root/data" "$root/run" "$root/tmp"
export PATH="$image/bin:$PATH" ROWFERRY_NODE="$(command -v node)" DATABASE_ROOT="$root" DATABASE_PORT=21000
export DATABASE_BIND=127.0.0.1 DATABASE_NAME='the shop' DATABASE_PASSWORD="$2"
database run "$kind" > "$HOME/tmp/said" 2>&1 & server=$!
until database ready "$kind"; do
  kill -0 $server || { cat "$HOME/tmp/said"; exit 1; }
  sleep 0.1
done
kill -TERM $server
wait $server || true
# A second start finds the data.
database run "$kind" > "$HOME/tmp/said" 2>&1 & server=$!
until database ready "$kind"; do kill -0 $server || { cat "$HOME/tmp/said"; exit 1; }; sleep 0.1; done
kill -TERM $server
wait $server || true
DATABASE_PASSWORD=other; ls "$HOME/tmp/a" "$root/tmp" "$root/data"
rm -r "$HOME/tmp/a" "$HOME/tmp/a folder" "$HOME/tmp/said"`;

test.each(["mysql", "postgres"])(
  "%s starts below a path with a space and a quote, with a password of every kind",
  async (kind) => {
    const password = "it's \\ \"$HOME\" `id` %s \\' -- ;";
    const { code, output } = await account.run("timeout", "60", "sh", "-c", script, "sh", kind, password);
    expect(code, output).toBe(0);
    expect(output).toContain("/tmp/a:\nkept\n");
    expect(output).toMatch(/data:\ndb\ntls\n/);
  },
);
