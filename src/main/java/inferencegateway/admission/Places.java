package inferencegateway.admission;

import org.jspecify.annotations.Nullable;

/**
 * Places in order of their coming, linked through themselves: one can leave from the middle at no
 * cost. A place is in at most one list at a time. Guarded by the gate's lock.
 */
final class Places {

  private @Nullable Place first;
  private @Nullable Place last;
  private int size;

  int size() {
    return size;
  }

  @Nullable Place first() {
    return first;
  }

  @Nullable Place last() {
    return last;
  }

  void add(Place place) {
    place.previous = last;
    place.next = null;
    if (last == null) {
      first = place;
    } else {
      last.next = place;
    }
    last = place;
    size++;
  }

  void remove(Place place) {
    if (place.previous == null) {
      first = place.next;
    } else {
      place.previous.next = place.next;
    }
    if (place.next == null) {
      last = place.previous;
    } else {
      place.next.previous = place.previous;
    }
    place.previous = null;
    place.next = null;
    size--;
  }
}
