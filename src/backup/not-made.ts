/** Between an object's kind and name and the server's words, in a restore's warning. */
export const notMade = " is not made: ";
