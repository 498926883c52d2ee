// The review in a file of its own, with its game packed in it.
import { showReview } from "./review_page.js";
import { pictures, unpacked } from "./stage.js";

const game = await unpacked();
if (game !== null) showReview(game, pictures(game));
