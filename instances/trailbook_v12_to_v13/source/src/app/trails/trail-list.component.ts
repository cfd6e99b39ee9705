import { Component } from '@angular/core';
import { FormControl } from '@angular/forms';
import { ActivatedRoute } from '@angular/router';
import { combineLatest } from 'rxjs';
import { map, startWith } from 'rxjs/operators';

import { Trail } from '../core/models';
import { TrailbookStore } from '../core/trailbook-store.service';

@Component({
  selector: 'tb-trail-list',
  templateUrl: './trail-list.component.html',
  styleUrls: ['./trail-list.component.scss'],
})
export class TrailListComponent {
  readonly grades = [
    { query: { grade: null }, label: 'All' },
    { query: { grade: 1 }, label: 'Easy' },
    { query: { grade: 2 }, label: 'Moderate' },
    { query: { grade: 3 }, label: 'Hard' },
  ];
  readonly search = new FormControl('');
  readonly grade$ = this.route.queryParamMap.pipe(map((query) => query.get('grade')));
  readonly trails$ = combineLatest([
    this.store.trails$,
    this.grade$,
    this.search.valueChanges.pipe(startWith('')),
  ]).pipe(
    map(([trails, grade, text]) =>
      trails.filter((trail) => hasGrade(trail, grade) && mentions(trail, text)),
    ),
  );

  constructor(
    private readonly route: ActivatedRoute,
    private readonly store: TrailbookStore,
  ) {}
}

function hasGrade(trail: Trail, grade: string | null): boolean {
  return grade === null || String(trail.grade) === grade;
}

function mentions(trail: Trail, text: string): boolean {
  const needle = text.trim().toLowerCase();
  return `${trail.name} ${trail.region}`.toLowerCase().includes(needle);
}
