/** Of fengari, which has no types of its own, the parts that the tests use. */
declare module "fengari" {
  type State = unknown;
  export function to_luastring(text: string): Uint8Array;
  export const lauxlib: { luaL_newstate(): State; luaL_dostring(state: State, code: Uint8Array): number };
  export const lualib: { luaL_openlibs(state: State): void };
  export const lua: {
    LUA_OK: number;
    lua_createtable(state: State, array: number, fields: number): void;
    lua_getfield(state: State, index: number, name: Uint8Array): void;
    lua_pushboolean(state: State, value: boolean): void;
    lua_pushnil(state: State): void;
    lua_pushnumber(state: State, value: number): void;
    lua_pushstring(state: State, text: Uint8Array): void;
    lua_setglobal(state: State, name: Uint8Array): void;
    lua_settable(state: State, index: number): void;
    lua_settop(state: State, index: number): void;
    lua_tojsstring(state: State, index: number): string;
  };
}
